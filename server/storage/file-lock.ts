/**
 * Locks between processes, each of which ends with its process, however that dies: of a file, of the data folder, and
 * of a folder of temporary files.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { linkSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isCode } from './write-file.ts';

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

/** The folder is in use by another process. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
}

/**
 * Locks the data folder for this process, with a file lock of the operating system that ends with the process, however
 * it dies.
 * @returns a function that releases the lock
 * @throws {DataFolderBusy} if another process holds it
 */
export function lockDataFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = tryFileLock(join(folder, 'lock.sqlite'));
  if (lock) return () => lock.release();
  throw new DataFolderBusy(
    `Another server is running on ${folder}. Stop it first, or set DATA_DIR to another folder.`,
  );
}

/**
 * Creates a folder for this process, and removes those whose process has ended. Each folder has a lock that ends with
 * its process, however that dies.
 * @param parent shared by the processes of a data folder
 */
export async function claimTemporaryFolder(parent: string) {
  await mkdir(parent, { recursive: true });
  // While a folder is created but not yet locked, no other process may sweep it.
  const claiming = await waitForFileLock(join(parent, 'claim.lock'), async () => false);
  try {
    await sweep(parent);
    const path = join(parent, randomUUID());
    await mkdir(path);
    const lock = tryFileLock(lockOf(path));
    return {
      path,
      /** Removes the folder with its contents. */
      async remove(): Promise<void> {
        await rm(path, { recursive: true, force: true });
        lock?.release();
        return rm(lockOf(path), { force: true });
      },
    };
  } finally {
    claiming?.release();
  }
}

const lockOf = (folder: string): string => `${folder}.lock`;

async function sweep(parent: string): Promise<void> {
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(parent, entry.name);
    const lock = tryFileLock(lockOf(path));
    if (!lock) continue;
    await rm(path, { recursive: true, force: true });
    lock.release();
    await rm(lockOf(path), { force: true });
  }
}
