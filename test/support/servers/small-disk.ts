/** A disk of a few megabytes that tests can fill (Linux, as root). */
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needs } from '../requirements.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';

const mount = (path: string, size: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status === 0;
const unmount = (path: string): boolean => spawnSync('umount', ['-l', path]).status === 0;

const probe = await temporaryFolder();
const canMount = mount(probe, '1m') && unmount(probe);
await removeFolder(probe);

/** `test` if a disk can be created. */
export const needsSmallDisk = needs(canMount, 'a small disk takes Linux, and root');

/** Creates the disk. */
export async function smallDisk(size: string) {
  const path = await temporaryFolder();
  if (!mount(path, size)) throw new Error('no disk could be made');
  const ballast = join(path, 'ballast');
  return {
    path,
    async fill() {
      // Fill up to the last bytes: a whole file needs more than is left.
      for (const bytes of [1 << 22, 1 << 18, 1 << 14, 1 << 12]) {
        for (let at = 0; at < 64; at += 1) {
          const written = await writeFile(`${ballast}-${bytes}-${at}`, Buffer.alloc(bytes)).then(
            () => true,
            () => false,
          );
          if (!written) break;
        }
      }
    },
    free: () => removeAll(path),
    async close() {
      unmount(path);
      await removeFolder(path);
    },
  };
}

async function removeAll(path: string): Promise<void> {
  for await (const name of new Bun.Glob('ballast-*').scan(path)) await rm(join(path, name));
}
