/** One command works in a folder at a time, so that two do not caption the same or overwrite what the other noted. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tryFileLock } from '../server/storage/file-lock.ts';
import { CommandFailure } from './command-line.ts';

/**
 * Does work while no other process does such work, which ends with the process, however it dies. Where a file system has
 * no locks, it is done without.
 * @param place the file of what was done
 * @throws {CommandFailure} another process is at it
 */
export async function aloneIn<T>(place: string, work: (place: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(place), { recursive: true });
  let lock: ReturnType<typeof tryFileLock> | undefined;
  try {
    lock = tryFileLock(`${place}.lock`);
  } catch {
    lock = undefined;
  }
  if (lock === null) throw new CommandFailure('Another captioner is at work in this folder.');
  try {
    return await work(place);
  } finally {
    lock?.release();
  }
}
