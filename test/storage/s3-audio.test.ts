/** The store of recordings in a bucket of S3: its requests, its outages, and what late work finds. */
import { afterAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { createS3AudioStore } from '../../server/storage/s3-audio.ts';
import { realTime } from '../../server/base/concurrency.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { until } from '../support/servers/client.ts';
import { startS3 } from '../support/servers/s3.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';

setDefaultTimeout(300000);

const s3 = await startS3();
const spool = await temporaryFolder();
afterAll(async () => {
  await s3.close();
  await removeFolder(spool);
});

// The test server may crash on two simultaneous requests for one object, and is then restarted.
const store = createS3AudioStore(s3.bucket('talks'), spool, {
  ...realTime,
  pause: async () => {
    await until(async () => (await fetch(s3.bucket('talks').endpoint).catch(() => null)) !== null);
  },
});
await Promise.all([1, 2, 3].map(() => store.prepare(0)));
const plain = createS3AudioStore(s3.bucket('talks'), spool, noWaiting());

audioStoreSuite('the store in a bucket', store, async () => (await readdir(spool)).length, false);

/** A bucket on a server of the test's, which ends with the tests of the file. */
function bucketAt(fetch: (request: Request) => Promise<Response> | Response) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
  afterAll(() => server.stop(true));
  const waiting = noWaiting();
  const location = { ...s3.bucket('talks'), endpoint: `http://127.0.0.1:${server.port}` };
  return { waiting, store: createS3AudioStore(location, spool, waiting) };
}

test('a version is deleted only if the bucket still has it', async () => {
  await store.put('org', 'version.mp3', chunks(filled(10, 1)));
  const found = await store.stat('org', 'version.mp3');
  const fetches = spyOn(globalThis, 'fetch');
  try {
    expect(await store.delete('org', 'version.mp3', found?.version)).toBe(true);
    // The server may be asked twice, after a crash; other tests of this process may delete something meanwhile.
    const tags = fetches.mock.calls
      .filter(([, init]) => init?.method === 'DELETE')
      .map(([, init]) => new Headers(init?.headers).get('if-match'));
    expect(found?.version).toMatch(/^[0-9a-f]+-/);
    expect(tags).toContain(`"${found?.version?.split('-')[0]}"`);
  } finally {
    fetches.mockRestore();
  }
});

test('a recording of many parts is stored completely', async () => {
  const part = filled(2 ** 20, 0).map((_, at) => (at * 31) % 253);
  const whole = Array.from({ length: 23 }, () => part);
  expect(await store.put('org', 'long.mp3', chunks(...whole))).toEqual({ size: 23 * 2 ** 20 });
  let size = 0;
  for await (const chunk of store.read('org', 'long.mp3', { start: 2 ** 20, end: 21 * 2 ** 20 })) {
    const at = size % 2 ** 20;
    if (at + chunk.length <= 2 ** 20) expect(chunk).toEqual(part.subarray(at, at + chunk.length));
    size += chunk.length;
  }
  expect(size).toBe(20 * 2 ** 20);
});

test('a server that is down is an outage, leaves nothing behind, and works again when it is back', async () => {
  await s3.kill();
  await expect(plain.put('org', 'later.mp3', chunks(filled(10, 1)))).rejects.toThrow(
    StorageUnavailable,
  );
  await expect(plain.stat('org', 'later.mp3')).rejects.toThrow(StorageUnavailable);
  await expect(plain.check()).rejects.toThrow(StorageUnavailable);
  expect(await readdir(spool)).toEqual([]);
  await s3.start();
  await plain.put('org', 'later.mp3', chunks(filled(10, 1)));
  expect((await plain.stat('org', 'later.mp3'))?.size).toBe(10);
});

test('invalid access keys are refused', async () => {
  const stranger = { ...s3.bucket('talks'), accessKeyId: 'nobody' };
  await expect(createS3AudioStore(stranger, spool).check()).rejects.toThrow(StorageUnavailable);
});

test.each([
  ['one 500', 1],
  ['two in a row', 2],
])('%s of the server is retried; a third is an outage', async (_name, failures) => {
  let asked = 0;
  const { waiting, store: flaky } = bucketAt(() => {
    asked += 1;
    if (asked <= failures) return new Response(null, { status: 500 });
    const headers = { etag: '"1"', 'last-modified': new Date().toUTCString() };
    return new Response('12345', { headers });
  });
  expect(await flaky.stat('org', 'a.mp3')).not.toBeNull();
  expect(asked).toBe(failures + 1);
  expect(waiting.pauses).toEqual([200, 1000].slice(0, failures));
  asked = -10;
  await expect(flaky.stat('org', 'a.mp3')).rejects.toThrow(StorageUnavailable);
  expect(asked).toBe(-7);
});

test.each([
  ['deleted', 'stays deleted', false, false],
  ['deleted in its version', 'stays deleted', false, true],
  ['deleted and uploaded again', 'is there', true, false],
])(
  'a recording that was %s %s when a late upload arrives',
  async (_title, _then, again, isVersioned) => {
    let stored = false;
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let isFirst = true;
    const { waiting, store: slow } = bucketAt(async ({ method }) => {
      const headers = { etag: '"e1"', 'last-modified': new Date(0).toUTCString() };
      if (method === 'DELETE') stored = false;
      if (method === 'DELETE') return new Response(null, { status: 204 });
      if (method === 'HEAD') return new Response(null, { status: stored ? 200 : 404, headers });
      const waits = isFirst;
      isFirst = false;
      if (waits) {
        setTimeout(waiting.runOut, 0);
        await release.promise;
      }
      stored = true;
      if (waits) setTimeout(arrived.resolve, 50);
      return new Response(null, { headers });
    });
    const put = () => slow.put('org', 'late.mp3', chunks(filled(10, 1)));
    await put();
    const found = isVersioned ? await slow.stat('org', 'late.mp3') : null;
    expect(await slow.delete('org', 'late.mp3', found?.version)).toBe(true);
    expect(stored).toBe(false);
    if (again) await put();
    release.resolve();
    await arrived.promise;
    if (again) expect(stored).toBe(true);
    else await until(async () => !stored, 5000);
  },
);

test('a failed listing of the bucket is repeated', async () => {
  const asked: string[] = [];
  const { waiting, store: flaky } = bucketAt(({ method }) => {
    asked.push(method);
    if (asked.length === 1) return new Response(null, { status: 503 });
    if (method === 'DELETE') return new Response(null, { status: 204 });
    return new Response(
      '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>audio/objects/a</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><ETag>"1"</ETag><Size>1</Size></Contents></ListBucketResult>',
    );
  });
  expect(await flaky.expire(Date.now(), [])).toBe(1);
  expect(asked).toEqual(['GET', 'GET', 'DELETE']);
  expect(waiting.pauses).toEqual([200]);
});

test('a version whose deletion got no response counts as deleted when the repeated request finds nothing', async () => {
  let stored = true;
  let deletions = 0;
  const { store: flaky } = bucketAt(({ method }) => {
    if (method === 'DELETE') {
      deletions += 1;
      const found = stored;
      stored = false;
      return new Response(null, { status: found ? 500 : 404 });
    }
    const headers = { etag: '"1"', 'last-modified': new Date(0).toUTCString() };
    return new Response(null, { status: stored ? 200 : 404, headers });
  });
  const version = (await flaky.stat('org', 'a.mp3'))!.version;
  expect(await flaky.delete('org', 'a.mp3', version)).toBe(true);
  expect(deletions).toBe(2);
  expect(await flaky.delete('org', 'a.mp3', version)).toBe(false);
});

test('a version that another upload has replaced meanwhile is not deleted, and only the prefix is searched', async () => {
  const old =
    '<Contents><Key>audio/objects/a</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><ETag>"e1"</ETag><Size>10</Size></Contents>';
  const asked: string[] = [];
  let answer = 412;
  const { store: other } = bucketAt(({ method, url, headers }) => {
    asked.push(`${method} ${new URL(url).search || headers.get('if-match')}`);
    if (method === 'DELETE') return new Response(null, { status: answer });
    const head = { etag: '"e1"', 'last-modified': new Date(0).toUTCString() };
    if (method === 'HEAD') return new Response(null, { headers: head });
    return new Response(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${old}</ListBucketResult>`,
    );
  });
  const { version } = (await other.stat('org', 'a.mp3'))!;
  expect(await other.delete('org', 'a.mp3', 'another')).toBe(false);
  expect(asked.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  expect(await other.delete('org', 'a.mp3', version)).toBe(false);
  answer = 204;
  expect(await other.delete('org', 'a.mp3', version)).toBe(true);
  expect(asked.at(-1)).toBe('DELETE "e1"');
  expect(await other.expire(Date.now(), [])).toBe(1);
  expect(asked.find((line) => line.startsWith('GET'))).toContain('prefix=audio');
});

test.each([
  [400, false],
  [403, true],
  [416, false],
  [428, false],
  [429, true],
  [499, false],
  [500, true],
  [503, true],
])('a refusal with %d is an outage: %p', async (status, isOutage) => {
  const refusal = '<Error><Code>Code</Code><Message>no</Message></Error>';
  const { store: refused } = bucketAt(() => new Response(refusal, { status }));
  const error = await refused.expire(Date.now(), []).catch((thrown: unknown) => thrown);
  expect(error instanceof StorageUnavailable).toBe(isOutage);
  const told = isOutage ? { message: 'S3 cannot be used at the moment.' } : { statusCode: status };
  expect(error).toMatchObject(told);
});
