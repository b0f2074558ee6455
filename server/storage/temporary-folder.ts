/** Temporary files of one process, which a later process removes if this one dies. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryFileLock, waitForFileLock } from './file-lock.ts';

export interface TemporaryFolder {
  path: string;
  /** Removes the folder with its contents. */
  remove(): Promise<void>;
}

/**
 * Creates a folder for this process, and removes those whose process has ended, however it died:
 * each has a lock that ends with its process.
 * @param parent shared by the processes of a data folder
 */
export async function claimTemporaryFolder(parent: string): Promise<TemporaryFolder> {
  await mkdir(parent, { recursive: true });
  // No other process may sweep a folder that is created but not yet locked.
  const claiming = await waitForFileLock(join(parent, 'claim.lock'), async () => false);
  try {
    await sweep(parent);
    const path = join(parent, randomUUID());
    await mkdir(path);
    const lock = tryFileLock(lockOf(path));
    return {
      path,
      async remove() {
        await rm(path, { recursive: true, force: true });
        lock?.release();
        await rm(lockOf(path), { force: true });
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
