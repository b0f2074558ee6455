/** Reading the built app while `npm run build` replaces it. */
import { afterAll, expect, test } from 'bun:test';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFolder } from '../../scripts/replace-folder.ts';
import { loadAppFiles, readAppFolder, SOURCES } from '../../server/http/documents/app-bundle.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const parent = await temporaryFolder();
afterAll(() => removeFolder(parent));

/** A build with forty files; their names contain the version, like real names contain hashes. */
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

test('a build is read until a source changes, and always where nothing can be built', async () => {
  const folder = join(parent, 'app');
  await replaceFolder(folder, build(1));
  const isRead = async (canBundle: boolean) =>
    (await loadAppFiles(folder, canBundle)).some(({ name }) => name === 'part-0-1.js');
  expect(await isRead(true)).toBe(true);
  await utimes(folder, 0, 0);
  expect([await isRead(true), await isRead(false)]).toEqual([false, true]);
});

test('a file that cannot be read is an error, not a reason to wait for the next build', async () => {
  const folder = join(parent, 'unreadable');
  await mkdir(join(folder, 'part.js'), { recursive: true });
  await expect(readAppFolder(folder)).rejects.toThrow('EISDIR');
});

test('a change in any folder that the app imports makes a build out of date', async () => {
  const root = new URL('../../', import.meta.url);
  const imported = new Set<string>();
  const seen = new Set<string>();
  const follow = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const source = await Bun.file(new URL(path, root)).text();
    const found = new Bun.Transpiler({ loader: path.endsWith('x') ? 'tsx' : 'ts' }).scanImports(
      source,
    );
    const files = found.map((each) => each.path).filter((each) => /^\..*\.tsx?$/.test(each));
    const paths = files.map((each) =>
      new URL(each, new URL(path, root)).href.slice(root.href.length),
    );
    for (const each of paths) imported.add(each.split('/').slice(0, -1).join('/'));
    await Promise.all(paths.map(follow));
  };
  await follow('web/main.tsx');
  const within = (folder: string) =>
    SOURCES.some((source) => folder === source || folder.startsWith(`${source}/`));
  expect(imported.size).toBeGreaterThan(10);
  expect([...imported].filter((folder) => !within(folder))).toEqual([]);
});
