/** The files of Firefox's models by the lists of Mozilla, and the fallback from one to the next. */
import { afterAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { FIREFOX_LISTS } from '../../server/models/firefox-lists.ts';
import { ensureModel } from '../../server/models/models.ts';
import { MODELS } from '../../server/models/registry.ts';
import { failureOf } from '../support/failure-of.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const [settings, bucket] = FIREFOX_LISTS as [
  (typeof FIREFOX_LISTS)[number],
  (typeof FIREFOX_LISTS)[number],
];
const models = MODELS.filter(({ kind }) => kind === 'translation');

/** The records of Remote Settings, collection translations-models-v2, as Firefox reads them (2026-11-28). */
const recordsOf = (sums: Readonly<Record<string, string>>) =>
  Object.entries(sums).map(([name, decompressedHash]) => ({
    name,
    version: '3.0',
    architecture: 'base-memory',
    filter_expression: '',
    decompressedHash,
    decompressedSize: 31_561_787,
    attachment: {
      hash: 'f'.repeat(64),
      size: 22_000_000,
      filename: `${name}.zst`,
      location: `main-workspace/translations-models-v2/${decompressedHash.slice(0, 8)}.zst`,
      mimetype: 'application/zstd',
    },
  }));

/** The models of a pair in db/models.json of mozilla/translations (2026-11-28). */
const trainedOf = (sums: Readonly<Record<string, string>>, run: string) => ({
  architecture: 'base-memory',
  releaseStatus: 'Release',
  files: Object.fromEntries(
    Object.entries(sums).map(([name, uncompressedHash]) => [
      name.split('.')[0],
      { path: `models/${run}/exported/${name}.gz`, uncompressedHash, size: 1 },
    ]),
  ),
});

test('every file of every model is found in both lists by its hash', () => {
  expect([settings.packing, bucket.packing]).toEqual(['zstd', 'gzip']);
  const other = Object.fromEntries(
    ['model', 'vocab'].map((role) => [`${role}.xx.bin`, 'e'.repeat(64)]),
  );
  const records = {
    data: [...recordsOf(other), ...models.flatMap(({ sums = {} }) => recordsOf(sums))],
  };
  const trained = {
    baseUrl: 'https://storage.googleapis.com/bucket',
    models: Object.fromEntries(
      models.map(({ name, sums = {} }) => [name, [trainedOf(other, 'old'), trainedOf(sums, name)]]),
    ),
  };
  for (const { name, files, sums = {} } of models) {
    const [zst, gz] = [settings.find(records, sums), bucket.find(trained, sums)];
    expect([Object.keys(zst!).sort(), Object.keys(gz!).sort()]).toEqual([
      [...files].sort(),
      [...files].sort(),
    ]);
    for (const file of files) {
      expect(zst![file]).toBe(
        `https://firefox-settings-attachments.cdn.mozilla.net/main-workspace/translations-models-v2/${sums[file]!.slice(0, 8)}.zst`,
      );
      expect(gz![file]).toEndWith(`/models/${name}/exported/${file}.gz`);
    }
  }
});

test.each([
  [null],
  [[]],
  [{ data: [{ attachment: null }, 1, 'x'] }],
  [{ models: { 'en-de': [{ files: { model: 1 } }] } }],
])('a list that says something else has none: %j', (list) => {
  const { sums = {} } = models[0]!;
  expect([settings.find(list, sums), bucket.find(list, sums)]).toEqual([null, null]);
});

const folder = await temporaryFolder();
const model = models[0]!;
const before = model.sums;
const contents = new Map(model.files.map((file) => [file, Buffer.from(`${file} `.repeat(5000))]));
const sums = Object.fromEntries(
  [...contents].map(([file, bytes]) => [file, createHash('sha256').update(bytes).digest('hex')]),
);
Object.assign(model, { sums });
afterAll(async () => {
  Object.assign(model, { sums: before });
  await removeFolder(folder);
});

const pack = { zstd: zstdCompressSync, gzip: gzipSync };

/** Fetches the model from two lists, whose host answers some paths otherwise. */
async function fetched(name: string, other: (path: string) => Response | null) {
  const asked: string[] = [];
  const host = await startHttpDouble(({ url: { pathname } }) => {
    asked.push(pathname);
    const odd = other(pathname);
    if (odd) return odd;
    if (pathname.endsWith('.json')) return Response.json({ ours: sums });
    const file = model.files.find((each) => pathname.includes(each))!;
    return new Response(pack[pathname.endsWith('.zst') ? 'zstd' : 'gzip'](contents.get(file)!));
  });
  const list = (packing: 'zstd' | 'gzip', ending: string) => ({
    url: `${host.origin}/${packing}/list.json`,
    packing,
    find: (value: unknown, wanted: Readonly<Record<string, string>>) =>
      (value as { ours?: unknown } | null)?.ours
        ? Object.fromEntries(
            Object.keys(wanted).map((file) => [
              file,
              `${host.origin}/${packing}/${file}.${ending}`,
            ]),
          )
        : null,
  });
  const place = join(folder, name.replace(/\W/g, '-'));
  const limits = { connect: 2000, stall: 1000, backoff: 5, attempts: 1 };
  const lists = [list('zstd', 'zst'), list('gzip', 'gz')];
  try {
    await ensureModel(place, model.name, { lists, limits });
    for (const [file, bytes] of contents) {
      expect(await readFile(join(place, model.name, file))).toEqual(bytes);
    }
    return asked;
  } finally {
    await host.close();
  }
}

const gone = new Response('', { status: 404 });
test.each([
  ['the first list has it', () => null, 'zstd'],
  [
    'the first list is gone',
    (path: string) => (path === '/zstd/list.json' ? gone.clone() : null),
    'gzip',
  ],
  [
    'the first list is a page',
    (path: string) => (path === '/zstd/list.json' ? new Response('<html>') : null),
    'gzip',
  ],
  [
    'a file of it is gone',
    (path: string) => (path.endsWith('spm.zst') ? gone.clone() : null),
    'gzip',
  ],
  [
    'a file of it is damaged',
    (path: string) => (path.endsWith('spm.zst') ? new Response('no zstd') : null),
    'gzip',
  ],
  [
    'a file of it is another one',
    (path: string) => (path.endsWith('spm.zst') ? new Response(zstdCompressSync('other')) : null),
    'gzip',
  ],
])('%s: the model is that of its hashes', async (name, other, packing) => {
  const asked = await fetched(name, other);
  expect(asked.at(-1)).toContain(`/${packing}/`);
});

test('a file that unpacks to more than a model can be is refused', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(4 * model.bytes));
  const failure = await failureOf(
    fetched('bomb', (path) => {
      if (path.startsWith('/gzip')) return gone.clone();
      return path.endsWith('.zst') ? new Response(bomb) : null;
    }),
  );
  expect(failure).toMatchObject({ code: 'model_unavailable', model: model.name });
});
