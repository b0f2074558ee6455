/** Replaces a folder as a whole, so that readers find either the old files or the new ones. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the new folder. */
interface FolderFile {
  name: string;
  bytes: Uint8Array;
}

/**
 * Writes the files into a new folder beside the old one and exchanges the two. Several processes may
 * do so at once: the last one's files stay.
 * @param folder its path; need not exist yet
 * @throws {Error} if a file cannot be written; the old folder is then unchanged
 */
export async function replaceFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
  const id = randomUUID();
  const next = `${folder}.new-${id}`;
  const old = `${folder}.old-${id}`;
  try {
    await mkdir(next, { recursive: true });
    await Promise.all(files.map(({ name, bytes }) => writeFile(join(next, name), bytes)));
    await exchange(folder, next, old);
  } finally {
    for (const left of [next, old]) await rm(left, { recursive: true, force: true });
  }
}

async function exchange(folder: string, next: string, old: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await rename(folder, old).catch(unless('ENOENT'));
    try {
      return await rename(next, folder);
    } catch (error) {
      // Another process has put its folder there since.
      if (tries === 100) throw error;
      unless('ENOTEMPTY', 'EEXIST', 'EPERM')(error);
      await rm(old, { recursive: true, force: true });
    }
  }
}

const unless =
  (...codes: string[]) =>
  (error: unknown): void => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  };
