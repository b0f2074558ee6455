/** Refused downloads: larger than any model, larger than the disk, or changed since the last part. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { download } from '../../server/models/download.ts';
import { unpackModel } from '../../server/models/archive.ts';
import { requireDiskSpace } from '../../server/models/disk-space.ts';
import { mostBytes, MODELS } from '../../server/models/registry.ts';
import { firstChecksumsFile, verifyChecksums } from '../../server/models/checksums.ts';
import { ensureModel } from '../../server/models/models.ts';
import { failureOf } from '../support/failure-of.ts';
import { needsSmallDisk, smallDisk } from '../support/servers/small-disk.ts';
import { modelStore, NAME, limits, releaseHost, serve, tiny } from './support.ts';

setDefaultTimeout(300_000);

const store = modelStore();
const sum = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');

test('an archive that unpacks to more than a model can be is stopped before it is written', async () => {
  const path = join(store.path, 'tiny.tar.bz2');
  await writeFile(path, tiny);
  const files = ['model.int8.onnx', 'tokens.txt'];
  await expect(unpackModel(path, store.path, files, 1000)).rejects.toThrow('more than 1000 bytes');
  expect(await readdir(store.path)).toEqual(['tiny.tar.bz2']);
  expect((await unpackModel(path, store.path, files, 1_000_000)).size).toBe(2);
});

test('a downloaded archive may not unpack to more than three times the size of its model', async () => {
  const model = MODELS.find(({ name }) => name === NAME)!;
  const { bytes } = model;
  model.bytes = Math.ceil(tiny.length / 3);
  const failure = await failureOf(
    store.fetchFrom((request, response) => serve(tiny, request, response)),
  ).finally(() => (model.bytes = bytes));
  expect(failure.message).toContain(
    `the archive contains more than ${3 * Math.ceil(tiny.length / 3)} bytes`,
  );
  expect(await readdir(store.path)).toEqual(['.downloads']);
});

test.each([true, false])(
  'a file larger than allowed is not kept, with its length announced: %p',
  async (told) => {
    store.host = await releaseHost((_, response) => {
      response.writeHead(200, told ? { 'content-length': 5000 } : {});
      response.write(Buffer.alloc(2500));
      response.end(Buffer.alloc(2500));
    });
    const part = join(store.path, 'a.part');
    await expect(download(store.host.url, part, { most: 4999, limits })).rejects.toMatchObject({
      message: 'the host sent a file of more than 4999 bytes',
      network: false,
      retryable: false,
    });
    expect(await readdir(store.path)).toEqual([]);
    await download(store.host.url, part, { most: 5000, limits });
    expect(store.host.ranges.length).toBe(2);
  },
);

test('a model may be three times its stated size', () => {
  const model = MODELS.find(({ name }) => name === 'parakeet-110m');
  expect(mostBytes(model!)).toBe(3 * 126_000_000);
});

test('a repeated download must equal the first one, unless its published checksum differs', async () => {
  const [one, other] = ['voice activity', 'another voice'].map((text) => Buffer.from(text));
  let given = one!;
  store.host = await releaseHost((request, response) =>
    serve(given, request, response, `"${given.length}"`),
  );
  const fetchIt = () => ensureModel(store.path, 'silero-vad', { baseUrl: store.host!.url, limits });
  await fetchIt();
  await rm(join(store.path, 'silero-vad'), { recursive: true });
  given = other!;
  const failure = await failureOf(fetchIt());
  const path = firstChecksumsFile(store.path, 'silero-vad');
  expect(failure.code).toBe('model_unavailable');
  expect(failure.message).toContain(
    `its SHA-256 is ${sum('another voice')}, not ${sum('voice activity')}`,
  );
  expect(failure.message).toContain('delete .sums/silero-vad.sha256');
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  await rm(path);
  expect((await fetchIt()).kind).toBe('vad');
});

test('a published checksum takes precedence over the first download', async () => {
  const model = { ...MODELS[2]!, sums: { 'silero_vad.onnx': sum('good') } };
  await verifyChecksums(store.path, model, new Map([['silero_vad.onnx', sum('good')]]));
  await expect(
    verifyChecksums(store.path, model, new Map([['silero_vad.onnx', sum('bad')]])),
  ).rejects.toThrow('is not the expected file');
  expect(await readdir(store.path)).toEqual([]);
});

needsSmallDisk('a full disk is reported before the host is contacted', async () => {
  const disk = await smallDisk('8m');
  try {
    store.host = await releaseHost((request, response) => serve(tiny, request, response));
    const failure = await failureOf(
      ensureModel(disk.path, NAME, {
        baseUrl: store.host.url,
        mirrors: [`${store.host.url}mirror/`],
        limits,
      }),
    );
    expect(failure.message).toMatch(
      /downloaded: the models folder has [789] MB of free disk space/,
    );
    expect(failure.message).toContain('252 MB are needed');
    expect(store.host.ranges).toEqual([]);
  } finally {
    await disk.close();
  }
});

needsSmallDisk(
  'only the part of a download that is already there needs no more space',
  async () => {
    const disk = await smallDisk('8m');
    const part = join(store.path, 'a.part');
    const hasSpace = async (megabytes: number, there: number) => {
      await writeFile(part, Buffer.alloc(there * 1e6));
      return requireDiskSpace(disk.path, [part], { bytes: megabytes * 1e6 }).then(
        () => true,
        () => false,
      );
    };
    try {
      expect([await hasSpace(5, 0), await hasSpace(5, 4)]).toEqual([false, true]);
      // A part that is larger than its model is of no use.
      expect(await hasSpace(9, 12)).toBe(false);
    } finally {
      await disk.close();
    }
  },
);

test('what counts is the space that this user may take, to the byte', async () => {
  // Another part of the free space is reserved for root.
  const disk = { bavail: 10, bfree: 20, blocks: 30, bsize: 100 };
  const has = (bytes: number) => requireDiskSpace(store.path, [], { bytes }, async () => disk);
  await has(500);
  await expect(has(501)).rejects.toThrow('has 1 MB of free disk space, but 1 MB are needed');
});

test('a disk that does not tell its free space does not prevent a download', async () => {
  await requireDiskSpace(join(store.path, 'none'), [], { bytes: 1e18 });
});
