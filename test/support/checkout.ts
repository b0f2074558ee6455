/**
 * Creates a folder that looks like a fresh clone with installed packages, to follow the documents
 * in.
 */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './servers/server-process.ts';

/** The root of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders that a fresh clone does not have. */
const LEFT_OUT = new Set(['.git', 'data', 'artifacts', 'node_modules']);

/**
 * Creates the folder.
 * @param copied the folders and files to copy because they will be changed; the others are linked
 */
export async function checkout(copied: readonly string[] = []): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of await readdir(root)) {
    if (LEFT_OUT.has(name)) continue;
    if (copied.includes(name)) {
      const filter = (path: string): boolean => !path.endsWith('/node_modules');
      await cp(join(root, name), join(folder, name), { recursive: true, filter });
    } else await symlink(join(root, name), join(folder, name));
  }
  await mkdir(join(folder, 'data'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
