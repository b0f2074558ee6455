/** Reading the built app while `npm run build` replaces it. */
import { afterAll, expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFolder } from '../../scripts/replace-folder.ts';
import { loadAppFiles, readAppFolder } from '../../server/http/app-bundle.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const parent = await temporaryFolder();
afterAll(() => removeFolder(parent));

/** A build with forty files; their names tell the version, as the hashes in real names do. */
const build = (version: number) =>
  Array.from({ length: 40 }, (_, at) => ({
    name: `part-${at}-${version}.js`,
    bytes: new TextEncoder().encode(`${version}`),
  }));

test('a reader gets all files of one build or none, even during a build', async () => {
  const folder = join(parent, 'app');
  expect(await readAppFolder(folder)).toBeNull();
  await replaceFolder(folder, build(0));
  const state = { writing: true };
  const writers = [1, 2].map(async (first) => {
    for (let version = first; version <= 40; version += 2) {
      await replaceFolder(folder, build(version));
    }
  });
  const written = Promise.all(writers).finally(() => {
    state.writing = false;
  });
  let reads = 0;
  const read = async () => {
    while (state.writing) {
      const files = await readAppFolder(folder);
      if (files === null) continue;
      reads += 1;
      const versions = new Set(files.map(({ bytes }) => new TextDecoder().decode(bytes)));
      expect([files.length, versions.size]).toEqual([40, 1]);
    }
  };
  await Promise.all([written, read(), read()]);
  expect(reads).toBeGreaterThan(0);
  const last = await readAppFolder(folder);
  expect(last?.[0]?.name).toMatch(/-(39|40)\.js$/);
  // Nothing is left beside it.
  expect(await readdir(parent)).toEqual(['app']);
});

test('a failed build leaves the old one', async () => {
  const folder = join(parent, 'app');
  await replaceFolder(folder, build(7));
  const bad = [...build(8), { name: 'no/such/folder.js', bytes: new Uint8Array(1) }];
  expect(replaceFolder(folder, bad)).rejects.toThrow('ENOENT');
  await replaceFolder(folder, bad).catch(() => {});
  expect((await readAppFolder(folder))?.[0]?.name).toEndWith('-7.js');
  expect(await readdir(parent)).toEqual(['app']);
});

test('a runtime that cannot build the app says that the operator has to', async () => {
  await expect(loadAppFiles(join(parent, 'none'), false)).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
  });
});

test('a file that cannot be read is an error, not a reason to wait for the next build', async () => {
  const folder = join(parent, 'unreadable');
  await mkdir(join(folder, 'part.js'), { recursive: true });
  await expect(readAppFolder(folder)).rejects.toThrow('EISDIR');
});
