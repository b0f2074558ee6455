/** Retries of downloads, their time limit and their size limit. */
import { expect, jest, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sizeOf, writeNotes } from '../../server/models/download-part.ts';
import { download } from '../../server/models/download.ts';
import { failureOf } from '../support/failure-of.ts';
import { until } from '../support/servers/client.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { limits, modelStore, releaseHost, serve, tiny, type Behaviour } from './support.ts';

setDefaultTimeout(60_000);

const store = modelStore();

/** Downloads from a host, and returns its failure with the pauses before its attempts. */
async function refusedBy(behaviour: Behaviour, own: object = {}) {
  store.host = await releaseHost(behaviour);
  const waiting = noWaiting();
  const error: unknown = await download(store.host.url, join(store.path, 'a.part'), {
    limits: { ...limits, ...own },
    waiting,
  }).catch((reason: unknown) => reason);
  return { error, pauses: waiting.pauses, requests: store.host.ranges.length };
}

test.each([
  [500, true],
  [503, true],
  [429, true],
  [408, true],
  [404, false],
  [403, false],
  [499, false],
])('a status of %d is tried again: %p', async (status, again) => {
  const { error, pauses, requests } = await refusedBy((_, response) => {
    response.writeHead(status).end();
  });
  expect(error).toMatchObject({
    message: `the host responded with ${status}`,
    network: again,
    retryable: again,
  });
  expect(requests).toBe(again ? 4 : 1);
  expect(pauses).toEqual(again ? [5, 10, 20] : []);
});

test('attempts are counted from the last that brought any bytes', async () => {
  const { error, pauses, requests } = await refusedBy((_, response, count) => {
    if (count === 0) response.writeHead(503).end();
    else if (count > 1) response.destroy();
    else {
      response.writeHead(200, { etag: '"one"', 'content-length': 100 });
      response.write(Buffer.alloc(10));
      // The connection breaks once the bytes are stored.
      void until(async () => (await sizeOf(join(store.path, 'a.part'))) === 10).then(() =>
        response.destroy(),
      );
    }
  });
  expect(error).toMatchObject({ network: true });
  expect([requests, pauses]).toEqual([5, [5, 5, 10, 20]]);
});

test('a part that is longer than its file is discarded, and all of it requested', async () => {
  const path = join(store.path, 'a.part');
  store.host = await releaseHost((request, response) => {
    if (request.headers.range) response.writeHead(416).end();
    else serve(tiny, request, response);
  });
  await writeFile(path, Buffer.alloc(tiny.length + 1));
  await writeNotes(path, { url: store.host.url, validator: '"one"', total: tiny.length });
  await download(store.host.url, path, { limits, waiting: noWaiting() });
  expect(store.host.ranges).toEqual([`bytes=${tiny.length + 1}-`, undefined]);
  expect(tiny.equals(await readFile(path))).toBe(true);
});

test('the tag of the first response stays valid, if those of the rest have none', async () => {
  const path = join(store.path, 'a.part');
  store.host = await releaseHost((request, response, count) => {
    const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
    response.writeHead(count === 0 ? 200 : 206, {
      ...(count === 0 && { etag: '"one"' }),
      'content-length': 30 - start,
      'content-range': `bytes ${start}-29/30`,
    });
    response.write(Buffer.alloc(10));
    if (count === 2) response.end();
    else void until(async () => (await sizeOf(path)) === start + 10).then(() => response.destroy());
  });
  await download(store.host.url, path, { limits, waiting: noWaiting() });
  expect(store.host.ranges).toEqual([undefined, 'bytes=10-', 'bytes=20-']);
  expect(await sizeOf(path)).toBe(30);
});

test('a pause before another attempt ends with the download', async () => {
  const stop = new AbortController();
  store.host = await releaseHost((_, response) => void response.writeHead(503).end());
  const pause = async (_: number, signal?: AbortSignal) => {
    stop.abort(new Error('stopped'));
    signal?.throwIfAborted();
    throw new Error('a pause that goes on');
  };
  const path = join(store.path, 'a.part');
  await expect(
    download(store.host.url, path, {
      limits,
      signal: stop.signal,
      waiting: { ...noWaiting(), pause },
    }),
  ).rejects.toThrow('stopped');
});

test('a response whose bytes do not come ends after the time for bytes, not that for an answer', async () => {
  const { error, requests } = await refusedBy(
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.flushHeaders();
    },
    { stall: 20, attempts: 1 },
  );
  expect(error).toMatchObject({
    message: 'the connection was cut (no data for 0.02 s)',
    network: true,
    retryable: true,
  });
  expect(requests).toBe(1);
});

test('a download may take any time, as long as bytes come', async () => {
  let sendMore = (): void => {};
  store.host = await releaseHost((_, response) => {
    response.writeHead(200, { 'content-length': 4 });
    sendMore = () => void response.write('x');
    response.flushHeaders();
  });
  jest.useFakeTimers();
  await download(store.host.url, join(store.path, 'a.part'), {
    limits: { stall: 30_000, attempts: 1 },
    onProgress: () => {
      jest.advanceTimersByTime(20_000);
      sendMore();
    },
  }).finally(() => jest.useRealTimers());
  expect(await sizeOf(join(store.path, 'a.part'))).toBe(4);
});

test('a response that the host compresses has another length than stated, and is not kept', async () => {
  const packed = gzipSync(Buffer.alloc(1000));
  const { error, requests } = await refusedBy((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
    response.end(packed);
  });
  expect(error).toMatchObject({
    message: `only 1000 of ${packed.length} bytes arrived`,
    network: true,
    retryable: true,
  });
  expect(requests).toBe(4);
  expect(await sizeOf(join(store.path, 'a.part'))).toBe(0);
});

test('a file that cannot be written is not tried again', async () => {
  store.host = await releaseHost((_, response) => void response.writeHead(200).end('abc'));
  const nowhere = join(store.path, 'missing', 'a.part');
  await expect(download(store.host.url, nowhere, { limits })).rejects.toMatchObject({
    message: expect.stringMatching(/^it cannot be written \(ENOENT/),
    network: false,
    retryable: false,
  });
  expect(store.host.ranges).toHaveLength(1);
});

test('a model of more than three times its stated size is refused', async () => {
  const failure = await failureOf(
    store.fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': 6_000_001 });
      response.end(Buffer.alloc(100));
    }, 'silero-vad'),
  );
  expect(failure.message).toContain('more than 6000000 bytes');
  expect(await readdir(join(store.path, '.downloads'))).toEqual(['silero-vad.lock']);
});
