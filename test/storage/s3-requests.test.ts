/** The requests that the store in a bucket makes, to a bucket in the memory of the test. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { objectName } from '../../server/storage/audio-names.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { createS3AudioStore } from '../../server/storage/s3-audio.ts';
import { startS3Double, type StoredObject } from '../support/doubles/s3-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { chunks, filled } from './audio-store.suite.ts';

const OLD = new Date('2026-11-01T00:00:00Z');
const NEW = new Date('2026-11-20T00:00:00Z');
const folder = await temporaryFolder();
const spool = join(folder, 'spool');

const s3 = startS3Double(NEW);
const { objects, asked } = s3;
const waiting = noWaiting();
const store = createS3AudioStore(
  {
    bucket: 'talks',
    endpoint: s3.endpoint,
    region: 'eu',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    prefix: 'audio/',
  } as Parameters<typeof createS3AudioStore>[0],
  spool,
  waiting,
);
const nameOf = (key: string): string => `audio/${objectName({ organizationId: 'org', key })}`;
const holding = (key: string, size = 10, at = NEW): void =>
  void objects.set(nameOf(key), {
    bytes: filled(size, 7) as StoredObject['bytes'],
    at,
    etag: 'e1',
  });
const bytesOf = async (range?: { start: number; end: number }): Promise<number[]> => {
  const found: number[] = [];
  for await (const chunk of store.read('org', 'a.mp3', range)) found.push(...chunk);
  return found;
};

beforeEach(() => {
  objects.clear();
  s3.exists = true;
  s3.instead = () => null;
  asked.length = 0;
  waiting.limits.length = 0;
  waiting.pauses.length = 0;
});
afterAll(async () => {
  await s3.close();
  await removeFolder(folder);
});

describe('an upload', () => {
  test('is kept in a file until it is complete, then sent as an MP3 under a name of hashes', async () => {
    rmSync(spool, { recursive: true, force: true });
    let kept: string[] = [];
    async function* body() {
      yield filled(4, 1);
      kept = readdirSync(spool);
      expect(asked).toEqual([]);
      yield filled(6, 1);
    }
    expect(await store.put('org', 'a.mp3', body())).toEqual({ size: 10 });
    expect(kept.map((name) => name.replace(/^[0-9a-f-]{36}/, 'id'))).toEqual(['id.part']);
    expect(asked).toEqual([`PUT ${nameOf('a.mp3')} content-type: audio/mpeg`]);
    expect(s3.scope).toEndWith('/eu/s3/aws4_request');
    expect(objects.get(nameOf('a.mp3'))?.bytes).toEqual(filled(10, 1) as StoredObject['bytes']);
    expect(existsSync(spool) && readdirSync(spool)).toEqual([]);
  });

  test('has a time limit of ten seconds for each part of five megabytes, and fifteen more', async () => {
    await store.put('org', 'a.mp3', chunks(filled(10, 1)));
    expect(waiting.limits).toEqual([25_000]);
    waiting.limits.length = 0;
    s3.instead = () => new Response(null, { status: 400 });
    const large = store.put('org', 'a.mp3', chunks(filled(5 * 2 ** 20 + 1, 1)));
    await expect(large).rejects.toThrow();
    expect(waiting.limits).toEqual([35_000]);
  });

  test('whose body fails is not sent, and leaves no file', async () => {
    async function* body() {
      yield filled(4, 1);
      throw new Error('the client is gone');
    }
    await expect(store.put('org', 'a.mp3', body())).rejects.toThrow('the client is gone');
    expect([asked, readdirSync(spool)]).toEqual([[], []]);
  });
});

describe('a recording', () => {
  test('is described by its size and version, which depends on tag, size and time', async () => {
    expect(await store.stat('org', 'a.mp3')).toBeNull();
    holding('a.mp3');
    const version = async () => (await store.stat('org', 'a.mp3'))?.version;
    expect(await store.stat('org', 'a.mp3')).toEqual({
      size: 10,
      version: `e1-10@${NEW.getTime()}`,
    });
    expect(waiting.limits).toEqual([15_000, 15_000]);
    const first = await version();
    holding('a.mp3', 10, OLD);
    expect(await version()).not.toBe(first);
  });

  test.each<[{ start: number; end: number } | undefined, number, string]>([
    [undefined, 10, ''],
    [{ start: 0, end: 4 }, 4, ' range: bytes=0-3'],
    [{ start: 3, end: 10 }, 7, ' range: bytes=3-9'],
    [{ start: 3, end: Number.POSITIVE_INFINITY }, 7, ' range: bytes=3-'],
    [{ start: 9, end: 20 }, 1, ' range: bytes=9-19'],
    [{ start: 10, end: 20 }, 0, ' range: bytes=10-19'],
  ])('is read in the range %j', async (range, size, header) => {
    holding('a.mp3');
    expect(await bytesOf(range)).toHaveLength(size);
    expect(asked).toEqual([`GET ${nameOf('a.mp3')}${header}`]);
  });

  test('is not called for an empty range', async () => {
    holding('a.mp3');
    expect(await bytesOf({ start: 4, end: 4 })).toEqual([]);
    expect(await bytesOf({ start: 5, end: 4 })).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('is cut by the store if the bucket sends more than was requested', async () => {
    s3.instead = () => new Response(filled(10, 7) as StoredObject['bytes'], { status: 206 });
    expect(await bytesOf({ start: 0, end: 4 })).toEqual([7, 7, 7, 7]);
    expect(await bytesOf({ start: 2, end: 6 })).toEqual([7, 7, 7, 7]);
  });

  test('that is read no further is sent no further', async () => {
    const cancelled = Promise.withResolvers<void>();
    const endless = () =>
      new ReadableStream({
        pull: async (controller) => controller.enqueue(filled(2 ** 20, 7)),
        cancel: cancelled.resolve,
      });
    s3.instead = (method) => (method === 'GET' ? new Response(endless()) : null);
    for await (const chunk of store.read('org', 'a.mp3')) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await cancelled.promise;
  });

  test('that cannot be read is an error, and an outage if the bucket does not respond', async () => {
    await expect(bytesOf()).rejects.toThrow();
    s3.instead = () => new Response(null, { status: 503 });
    await expect(bytesOf()).rejects.toThrow(StorageUnavailable);
  });
});

describe('a deletion', () => {
  test('without a version removes whatever is stored', async () => {
    expect(await store.delete('org', 'a.mp3')).toBe(false);
    holding('a.mp3');
    holding('b.mp3');
    expect(await store.delete('org', 'a.mp3')).toBe(true);
    expect([...objects.keys()]).toEqual([nameOf('b.mp3')]);
    expect(asked.at(-1)).toBe(`DELETE ${nameOf('a.mp3')}`);
  });

  test('of a version removes only that one, and names its tag', async () => {
    holding('a.mp3');
    const { version } = (await store.stat('org', 'a.mp3'))!;
    expect(await store.delete('org', 'a.mp3', 'another')).toBe(false);
    expect(objects.size).toBe(1);
    s3.instead = (method) => (method === 'DELETE' ? new Response(null, { status: 412 }) : null);
    expect(await store.delete('org', 'a.mp3', version)).toBe(false);
    s3.instead = (method) => (method === 'DELETE' ? new Response(null, { status: 404 }) : null);
    expect(await store.delete('org', 'a.mp3', version)).toBe(false);
    s3.instead = () => null;
    expect(await store.delete('org', 'a.mp3', version)).toBe(true);
    expect(asked.at(-1)).toBe(`DELETE ${nameOf('a.mp3')} if-match: "e1"`);
    expect(objects.size).toBe(0);
  });
});

describe('the bucket', () => {
  test('is searched for old objects that are not in use, only under its prefix', async () => {
    for (const key of ['old.mp3', 'used.mp3']) holding(key, 1, OLD);
    holding('new.mp3', 1, NEW);
    objects.set('else/objects/x', {
      bytes: filled(1, 1) as StoredObject['bytes'],
      at: OLD,
      etag: 'e',
    });
    objects.set('audio/health/probe', {
      bytes: filled(1, 1) as StoredObject['bytes'],
      at: OLD,
      etag: 'e',
    });
    const used = [{ organizationId: 'org', key: 'used.mp3' }];
    expect(await store.expire(OLD.getTime() - 1, used)).toBe(0);
    expect(await store.expire(OLD.getTime(), used)).toBe(1);
    expect(objects.has(nameOf('old.mp3'))).toBe(false);
    expect(objects.size).toBe(4);
    expect(waiting.limits).toEqual([600_000, 600_000, 15_000]);
  });

  test('lists its recordings by their names without the prefix', async () => {
    holding('a.mp3', 3);
    holding('b.mp3', 4);
    const bytes = filled(5, 7) as StoredObject['bytes'];
    for (const other of ['other/objects/c.mp3', 'audio/others/c.mp3']) {
      objects.set(other, { bytes, at: NEW, etag: 'e1' });
    }
    const found = await Array.fromAsync(store.list());
    expect(found.toSorted((a, b) => a.size - b.size)).toEqual([
      { name: nameOf('a.mp3').slice('audio/'.length), size: 3 },
      { name: nameOf('b.mp3').slice('audio/'.length), size: 4 },
    ]);
    s3.instead = () => new Response(null, { status: 503 });
    await expect(Array.fromAsync(store.list())).rejects.toThrow(StorageUnavailable);
  });

  test('is created if it is missing, by whichever process is first', async () => {
    await store.prepare(0);
    expect(asked).toEqual(['GET']);
    s3.exists = false;
    await store.prepare(0);
    expect(asked.slice(1)).toEqual(['GET', 'PUT']);
    s3.exists = false;
    s3.instead = (method) => {
      if (method !== 'PUT') return null;
      s3.exists = true;
      return new Response(null, { status: 409 });
    };
    await store.prepare(0);
    s3.instead = (method) => new Response(null, { status: method === 'PUT' ? 409 : 404 });
    await expect(store.prepare(0)).rejects.toThrow();
  });

  test('is checked by writing a small object', async () => {
    await store.check();
    expect([...objects.keys()]).toEqual(['audio/health/probe']);
    expect(waiting.limits).toEqual([15_000]);
    s3.instead = () => new Response(null, { status: 500 });
    await expect(store.check()).rejects.toThrow(StorageUnavailable);
    expect(waiting.pauses).toEqual([200, 1000]);
  });
});
