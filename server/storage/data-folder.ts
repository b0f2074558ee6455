/** Locks the data folder for one process, since two servers on it would take each other's runs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryFileLock } from './file-lock.ts';

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
