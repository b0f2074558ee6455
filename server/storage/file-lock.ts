/** A lock between processes that ends with its process, however that dies. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isCode } from './error-code.ts';

/** The interval for retrying a held lock, in milliseconds. */
const POLL_MILLISECONDS = 200;

/** A lock that is held. */
interface FileLock {
  release(): void;
}

/**
 * Takes the lock at `path` (a small SQLite file, created if necessary) if it is free; null if another connection of
 * this or any other process holds it. The operating system releases it when the process ends.
 */
export function tryFileLock(path: string): FileLock | null {
  // Loaded at run time, since the shell command also runs on versions of Node that lack it.
  const sqlite = process.getBuiltinModule('node:sqlite') as
    | typeof import('node:sqlite')
    | undefined;
  if (!sqlite) return tryProcessLock(`${path}.pid`);
  const database = new sqlite.DatabaseSync(path);
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

/**
 * Takes the lock without SQLite: a file that names its process, and that counts as long as the process lives. Two
 * processes that find the file of a dead one at the same instant may both get the lock; that does little harm, because
 * the checksums of downloads are verified anyway.
 */
function tryProcessLock(path: string): FileLock | null {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        // A link has its content immediately, and creating it fails if the file exists.
        linkSync(own, path);
        return { release: () => rmSync(path, { force: true }) };
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        if (isAlive(holderOf(path))) return null;
        rmSync(path, { force: true });
      }
    }
    return null;
  } finally {
    rmSync(own, { force: true });
  }
}

/** The process that a lock names; NaN if it has just been released. */
function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return Number.NaN;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
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
