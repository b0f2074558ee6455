/** Unpacks archives with the system's tar. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Any } from './servers/client.ts';
import { removeFolder, temporaryFolder } from './servers/server-process.ts';

/** Unpacks a `.tar.gz`; returns the names of its files, and functions to read them. */
export async function unpacked(archive: Uint8Array) {
  const folder = await temporaryFolder();
  const into = join(folder, 'out');
  const contents = new Map<string, Buffer>();
  try {
    await writeFile(join(folder, 'a.tar.gz'), archive);
    await mkdir(into);
    await Bun.$`tar -xzf ${join(folder, 'a.tar.gz')} -C ${into}`.quiet();
    for (const file of await readdir(into, { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name);
      if (file.isFile()) contents.set(path.slice(into.length + 1), await readFile(path));
    }
  } finally {
    await removeFolder(folder);
  }
  const read = (name: string): Buffer => {
    const content = contents.get(name);
    if (!content) throw new Error(`The archive has no ${name}.`);
    return content;
  };
  return {
    names: [...contents.keys()],
    read,
    json: (name: string): Any => JSON.parse(read(name).toString()),
  };
}
