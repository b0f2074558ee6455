/** Temporary files of one process; if it dies, a later process removes them. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryFileLock, waitForFileLock } from './file-lock.ts';

interface TemporaryFolder {
  path: string;
  /** Removes the folder with its contents. */
  remove(): Promise<void>;
}

/**
 * Creates a folder for this process, and removes those whose process has ended. Each folder has a lock that ends with
 * its process, however that dies.
 * @param parent shared by the processes of a data folder
 */
export async function claimTemporaryFolder(parent: string): Promise<TemporaryFolder> {
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
      async remove() {
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
