/** A lock between processes that ends with its process, however it dies. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** Interval for retrying a held lock, in milliseconds. */
const POLL_MILLISECONDS = 200;

/** A lock that is held. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock at `path` (a small SQLite file, created if necessary) if it is free; null if
 * another connection, of this process or any other, holds it. The operating system releases it with
 * the process.
 */
export function tryFileLock(path: string): FileLock | null {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null;
    throw error;
  }
}

/** Waits for the lock at `path`; null as soon as `done` reports that it is no longer needed. */
export async function waitForFileLock(
  path: string,
  done: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<FileLock | null> {
  while (true) {
    signal?.throwIfAborted();
    const lock = tryFileLock(path);
    if (lock) return lock;
    await delay(POLL_MILLISECONDS, undefined, signal ? { signal } : {});
    if (await done()) return null;
  }
}
