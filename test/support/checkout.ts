/** A folder that looks like a fresh clone that was installed, for following what documents say. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './servers/server-process.ts';

/** Where this repository is. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is not of a clone. */
const LEFT_OUT = new Set(['.git', 'data', 'artifacts', 'node_modules']);

/**
 * Makes one.
 * @param copied the folders and files to copy, since they are to be changed; the others are linked
 */
export async function checkout(copied: readonly string[] = []): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of await readdir(root)) {
    if (LEFT_OUT.has(name)) continue;
    if (copied.includes(name)) await cp(join(root, name), join(folder, name), { recursive: true });
    else await symlink(join(root, name), join(folder, name));
  }
  await mkdir(join(folder, 'data'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
