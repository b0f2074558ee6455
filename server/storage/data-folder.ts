/** The data folder belongs to one process: two servers on it would take each other's runs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryFileLock } from './file-lock.ts';

/** The folder is in use by another process. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
}

/**
 * Takes the data folder for this process. The lock is the operating system's, on a file: it goes
 * with the process, however that ends.
 * @returns a function that gives it back
 * @throws {DataFolderBusy} where another process holds it
 */
export function lockDataFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = tryFileLock(join(folder, 'lock.sqlite'));
  if (lock) return () => lock.release();
  throw new DataFolderBusy(
    `Another server is running on ${folder}. Stop it first, or set DATA_DIR to another folder.`,
  );
}
