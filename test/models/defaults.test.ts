/** The default limits of downloads, and their progress reports. */
import { describe, expect, jest, setDefaultTimeout, spyOn, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyChecksums } from '../../server/models/checksums.ts';
import { readNotes, sizeOf, writeNotes } from '../../server/models/download-part.ts';
import { download } from '../../server/models/download.ts';
import { Watch } from '../../server/models/download-watch.ts';
import { ensureModel, MODELS } from '../../server/models/models.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { limits, modelStore, NAME, releaseHost, serve, tiny, type Behaviour } from './support.ts';

setDefaultTimeout(60_000);

const store = modelStore();
const part = () => join(store.path, 'a.part');

describe('a download', () => {
  test('waits 10 s for an answer, and 30 s for further bytes', async () => {
    const set = spyOn(globalThis, 'setTimeout');
    try {
      store.host = await releaseHost((request, response) => serve(tiny, request, response));
      set.mockClear();
      await download(store.host.url, part(), {});
      const delays = new Set(set.mock.calls.map(([, delay]) => delay));
      expect([...delays].filter((delay) => delay === 10_000 || delay === 30_000)).toEqual([
        10_000, 30_000,
      ]);
    } finally {
      set.mockRestore();
    }
  });

  test('is tried five times, half a second apart at first', async () => {
    store.host = await releaseHost((_, response) => void response.writeHead(503).end());
    const waiting = noWaiting();
    await expect(download(store.host.url, part(), { waiting })).rejects.toThrow('503');
    expect([store.host.ranges.length, waiting.pauses]).toEqual([5, [500, 1000, 2000, 4000]]);
  });

  test('requests the bytes unencoded, and only the rest of the same file', async () => {
    const asked: unknown[] = [];
    store.host = await releaseHost((request, response) => {
      const { range, 'if-range': tag, 'accept-encoding': encoding } = request.headers;
      asked.push([range, tag, encoding]);
      serve(tiny, request, response);
    });
    const { url } = store.host;
    await download(url, part(), { limits });
    await writeFile(part(), tiny.subarray(0, 100));
    await download(url, part(), { limits });
    // What was received from elsewhere, or without a tag, is not continued.
    await writeFile(part(), tiny.subarray(0, 100));
    await writeNotes(part(), { url: `${url}other`, validator: '"one"', total: 1 });
    await download(url, part(), { limits });
    await writeFile(part(), tiny.subarray(0, 100));
    await writeNotes(part(), { url, validator: null, total: null });
    await download(url, part(), { limits });
    // Nothing was received.
    await writeFile(part(), '');
    await download(url, part(), { limits });
    expect(asked).toEqual([
      [undefined, undefined, 'identity'],
      ['bytes=100-', '"one"', 'identity'],
      [undefined, undefined, 'identity'],
      [undefined, undefined, 'identity'],
      [undefined, undefined, 'identity'],
    ]);
    expect(await sizeOf(part())).toBe(tiny.length);
    // A whole file is not asked for again.
    await download(url, part(), { limits });
    expect(asked).toHaveLength(5);
  });

  test.each<[string, Record<string, string>, string | null]>([
    ['a strong tag', { etag: '"x"', 'last-modified': 'then' }, '"x"'],
    ['a date beside a weak tag', { etag: 'W/"x"', 'last-modified': 'then' }, 'then'],
    ['a date', { 'last-modified': 'then' }, 'then'],
    ['nothing', {}, null],
  ])('notes %s and the size', async (_, headers, validator) => {
    store.host = await releaseHost((_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': 3 }).end('abc');
    });
    const { url } = store.host;
    await download(url, part(), { limits });
    expect(await readNotes(part(), url)).toEqual({ url, validator, total: 3 });
    expect(await readNotes(part(), `${url}x`)).toBeNull();
  });

  test.each<[string, Behaviour]>([
    [
      'another range',
      (_, response) => void response.writeHead(206, { 'content-range': 'bytes 7-8/9' }).end('xx'),
    ],
    ['a range without a place', (_, response) => void response.writeHead(206).end('xx')],
    ['no range', (_, response) => void response.writeHead(416).end()],
  ])('that is answered with %s begins again', async (_, behaviour) => {
    const before = tiny.subarray(0, 100);
    store.host = await releaseHost((request, response, count) =>
      count === 0 ? behaviour(request, response, count) : serve(tiny, request, response),
    );
    const { url } = store.host;
    await writeFile(part(), before);
    await writeNotes(part(), { url, validator: '"one"', total: tiny.length });
    await download(url, part(), { limits, waiting: noWaiting() });
    expect(store.host.ranges).toEqual(['bytes=100-', undefined]);
    expect(await Bun.file(part()).bytes()).toEqual(new Uint8Array(tiny));
  });

  test.each<[string, string | null, number, number, string]>([
    ['a part that was not asked for', null, 206, 100, 'a different part'],
    ['an error that claims to be the rest', '"one"', 404, 100, 'responded with 404'],
    ['a part that begins elsewhere', '"one"', 206, 99, 'a different part'],
  ])('is not continued with %s', async (_, validator, status, from, message) => {
    store.host = await releaseHost(
      (_request, response) =>
        void response.writeHead(status, { 'content-range': `bytes ${from}-102/103` }).end('abc'),
    );
    const { url } = store.host;
    await writeFile(part(), tiny.subarray(0, 100));
    await writeNotes(part(), { url, validator, total: null });
    const once = { limits: { ...limits, attempts: 1 } };
    const isPassing = status === 206;
    await expect(download(url, part(), once)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      network: isPassing,
      retryable: isPassing,
    });
    expect(await sizeOf(part())).toBe(isPassing ? 0 : 100);
  });

  test('without a size ends with the response', async () => {
    const progress: [number, number][] = [];
    store.host = await releaseHost((_, response) => void response.writeHead(200).end('abc'));
    await download(store.host.url, part(), {
      limits,
      onProgress: (...seen) => void progress.push(seen),
    });
    expect(progress.at(0)).toEqual([0, 0]);
    expect(progress.at(-1)).toEqual([3, 0]);
  });
});

describe('a model', () => {
  const model = MODELS.find(({ name }) => name === NAME)!;

  test('whose size is unknown reports its listed size', async () => {
    const progress: [number, number][] = [];
    store.host = await releaseHost((_, response) => void response.writeHead(200).end(tiny));
    await ensureModel(store.path, NAME, {
      baseUrl: store.host.url,
      limits,
      onProgress: (...seen) => void progress.push(seen),
    });
    expect(progress.at(-1)).toEqual([tiny.length, model.bytes]);
  });

  test('is tried as often as the limits say', async () => {
    store.host = await releaseHost((_, response) => void response.writeHead(503).end());
    const once = { baseUrl: store.host.url, limits: { ...limits, attempts: 1 } };
    await expect(ensureModel(store.path, NAME, once)).rejects.toThrow('503');
    expect(store.host.ranges).toHaveLength(1);
  });

  test('of several files reports their sum, as a share of its listed size', async () => {
    const files: Record<string, Buffer> = {
      'encoder.int8.onnx': Buffer.alloc(300),
      'decoder.int8.onnx': Buffer.alloc(150),
      'joiner.int8.onnx': Buffer.alloc(50),
      'tokens.txt': Buffer.from('a 0\n'),
    };
    const { bytes } = MODELS.find(({ name }) => name === 'parakeet-v3')!;
    const gone = await releaseHost((_, response) => void response.writeHead(404).end());
    store.host = await releaseHost((request, response) =>
      serve(files[request.url!.split('/').at(-1)!]!, request, response),
    );
    const progress: [number, number][] = [];
    await ensureModel(store.path, 'parakeet-v3', {
      baseUrl: gone.url,
      mirrors: [store.host.url],
      limits,
      onProgress: (...seen) => void progress.push(seen),
    });
    await gone.close();
    expect(new Set(progress.map(([, total]) => total))).toEqual(new Set([bytes]));
    expect(progress.map(([received]) => received)).toEqual([0, 300, 300, 450, 450, 500, 500, 504]);
    expect(existsSync(join(store.path, '.downloads', 'parakeet-v3-tokens.txt.part'))).toBe(false);
  });

  test('with a file that has no published checksum is refused', async () => {
    const sums = new Map([['other.onnx', 'aa']]);
    await expect(
      verifyChecksums(store.path, { ...model, sums: { 'model.onnx': 'bb' } }, sums),
    ).rejects.toThrow('its SHA-256 is aa, not any');
  });
});

describe('a time limit', () => {
  test('counts from the last time that it was set, and is reported in seconds', async () => {
    const watch = new Watch(undefined);
    watch.limit(1, 'no answer');
    watch.limit(3, 'no data');
    await new Promise((resolve) => watch.signal.addEventListener('abort', resolve));
    expect(watch.expired).toBe('no data for 0.003 s');
    expect((watch.signal.reason as Error).message).toBe('no data for 0.003 s');
  });

  test('ends with the download, whose caller may then stop without effect', () => {
    const outer = new AbortController();
    const watch = new Watch(outer.signal);
    jest.useFakeTimers();
    watch.limit(1, 'no data');
    watch.end();
    jest.advanceTimersByTime(10);
    jest.useRealTimers();
    outer.abort(new Error('too late'));
    expect([watch.signal.aborted, watch.expired]).toEqual([false, null]);
    expect(() => new Watch(outer.signal)).toThrow('too late');
  });

  test('does not delay the reason of the caller', () => {
    const outer = new AbortController();
    const watch = new Watch(outer.signal);
    outer.abort(new Error('stopped'));
    expect((watch.signal.reason as Error).message).toBe('stopped');
    watch.end();
  });
});
