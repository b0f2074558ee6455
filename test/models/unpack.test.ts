/** Unpacking archives of models, fallbacks, work shared by callers, and the default limits. */
import { afterAll, describe, expect, jest, setDefaultTimeout, spyOn, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveError, unpackModel } from '../../server/models/archive.ts';
import {
  readNotes,
  sizeOf,
  writeNotes,
  Watch,
  download,
  UnreachableError,
} from '../../server/models/download.ts';
import { fallbackFor, getOrFallback } from '../../server/models/fallback.ts';
import { verifyChecksums, ensureModel, MODELS } from '../../server/models/models.ts';
import { redactPaths } from '../../server/models/redact-paths.ts';
import { SharedWork } from '../../server/models/shared-work.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { type Behaviour, limits, modelStore, NAME, releaseHost, serve, tiny } from './support.ts';

setDefaultTimeout(300000);

describe('unpacking a model’s archive', () => {
  const home = mkdtempSync(join(tmpdir(), 'archive-'));
  afterAll(() => rmSync(home, { recursive: true }));

  const WANTED = ['model.onnx', 'tokens.txt'];
  /** The size of each archive once it is decompressed. */
  const TAR_BYTES = 10_240;

  /** Archives of two files of three bytes each, made with Python's tarfile; they differ only in the name of the first. */
  const ARCHIVES = {
    'm/model.onnx':
      'QlpoOTFBWSZTWXeBipYAAI97gMmAAAhAAf2ABAB+D55ACBggAHIakPRNGmg0DRoejUCqKmnqMgG1DIaGg/fM9pYwkE0iIQve1VxVuXNaEJExln6XqEUSQxaEOqwqw3uLHhatk+ujwyE/TrPxDIqcungCQUkL2IGNgFKA/F3JFOFCQd4GKlg=',
    '../model.onnx':
      'QlpoOTFBWSZTWfEGVeQAAGP7gMmAAAhAAf8ADAB+D55ACBggAHQSlGjQAAZDQ0yCSUAaAAAAPvO5gfMmABoUkIst6LhwXFA4kEIYBlfi58vmhQCUEgIMaoQYTBuNxMzReVIkBh0OPvHyvi9SoMrbYTRIdFa4i6chED8XckU4UJDxBlXk',
    '/m/model.onnx':
      'QlpoOTFBWSZTWXMswGIAAGT7gMmAAAhAAf8ADAB+D55ACBggAHIakaZDTJoAyMjGgVSU9Rppo0ZpDIaGg/fNN5NjIEtkRCF9PbBYYLVitCEhKM9LvSioipIhllNDFrOjLkvUndWj66vDNP6VsvysOenap5C4hSAUkgnDUGMBUXckU4UJBzLMBiA=',
    'm/../../model.onnx':
      'QlpoOTFBWSZTWREQqLUAAJJ/gMmAAAhAAf0AAAEEAH4PnkAIGCAAchKkPU0BoABoabUCqSnqaepoaPSDagGg/fM9pNlIEroiEK4+2hecW5eohCQlFVXjP1NLkoRRIha00MmmK9FmKat1EfWR0PPvISw9XlEjvZxaIpF5W1RtOQxgfi7kinChICIhUWo=',
    'C:\\m\\model.onnx':
      'QlpoOTFBWSZTWd6fR/cAAIb/gMmAAAhAAf0QCAAkBH4PnkAIGCAAdBKUynpGE9IwGiYT9TIJKQDQAAAAPvO5AdMmAAx9JCKauhwaFZKNIRCGAMW68/RwI4mBCEGiGL5nJcZMsHD2+SGLCD2ETI2NzrlWLJRrY10rUeJHWxGeRP6tEQOxdyRThQkN6fR/cA==',
    './m/./model.onnx':
      'QlpoOTFBWSZTWVE4m64AAGP7gMmAAAhAAe+ASAB/D55ACBggAHQSinpT1MjTR6BpqGmnqeUElINAA0AAA+87mB8xYAGjUkIgs6HEoOKBpEIQwBiwhvPgzHZlpFRC4UEJSYQ2HGGxZAkWcnjlCkj3u37gnNlyqrNSPWN46pTydH1H2wEQP4u5IpwoSCicTdcA',
    'a/m/model.onnx':
      'QlpoOTFBWSZTWV8YO3MAAIl7gMmAAAhAAf0AFAB/D55ACBggAHQSkp+lPUyaaaYR6eo1NPTKCSkAaNA0AAD7zugITFgAaSJIRcdDxoPHDSUQhgDFKbcGZAEgOBBmUQ1Hl7vYyi4nXDsJGkTCS88E5q79VyrSN3PgfUpud4VIWZCIH8XckU4UJBfGDtzA',
  };

  /** The same with a first file of a million zeros, more than is written to the disk at once. */
  const LARGE =
    'QlpoOTFBWSZTWc7vEnUAHwFfgOmAQAH9AACABABmD55ACAggAJKGlHkQGQNBo2SCJSR6gND1DE000Px915NwsgKCKzYqAor26fDgWIVteUd6gKKxYYZ66HcrIDUwoCUyIhcmM4mYkbnDUogyKvAb5bVnSiI0sF8CVDTGL6h99kVEV/i7kinChIZ3eJOo';

  /** The first archive in two blocks of half its size. */
  const BLOCKS =
    'QlpoMTFBWSZTWRe1ZnYAAGdbgMmAQAH9gAQAfg+eQAgYIAByGoT0QyADAjTagVRU09RkBkYhppkP2unAqYSRNIiIWvi5YXOSxvRCRMZaZrVCKJIYtiF6o7MObqx6Vq5Pq96ZNc9FVedSK0HfZAjFqBrDDMOAgD8XckU4UJAXtWZ2QlpoMTFBWSZTWVZzPNYAAApgAMAAQAAACCAAIKU0GYxNiTxdyRThQkFZzPNY';

  /** The same with the first file twice: "one", and after the second file "three". */
  const TWICE =
    'QlpoOTFBWSZTWVb/JPcAAKt7gMmAAgBAAf+ABABmT57ACBggAJKGVDTEABkBpo2oIpTU9R6geoPSGQZA/fM42jJ9YXAsaUFLTjJs7BtfFXU0USAYDyZ5NmahN7XCuLJXBkPQnV4ssa0aQF5cIudARWukcoIBRVUJPDUiPjJiGUCy6ZqGtoi9EP4u5IpwoSCt/knu';

  let count = 0;
  /** Unpacks into a separate folder. */
  async function unpacked(
    name: keyof typeof ARCHIVES,
    {
      most = TAR_BYTES,
      signal,
      folder,
    }: { most?: number; signal?: AbortSignal; folder?: string } = {},
  ) {
    count += 1;
    const archive = join(home, `${count}.tar.bz2`);
    await writeFile(archive, Buffer.from(ARCHIVES[name], 'base64'));
    const into = join(home, folder ?? `${count}`);
    if (folder === undefined) await mkdir(into);
    const sums = unpackModel(archive, into, WANTED, most, signal);
    return {
      into,
      failure: await sums.then(
        () => null,
        (error: unknown) => error,
      ),
    };
  }

  test.each(Object.keys(ARCHIVES).slice(1, -2) as (keyof typeof ARCHIVES)[])(
    'an archive containing the name %s is refused, and nothing of it is stored',
    async (name) => {
      const { into, failure } = await unpacked(name);
      expect(failure).toBeInstanceOf(ArchiveError);
      expect(String(failure)).toContain('points outside it');
      expect(await readdir(into)).toEqual([]);
    },
  );

  test('names may contain empty parts and dots, but files must be in the only folder', async () => {
    const { into, failure } = await unpacked('./m/./model.onnx');
    expect(failure).toBeNull();
    expect((await readdir(into)).sort()).toEqual(WANTED);
    const deeper = await unpacked('a/m/model.onnx');
    expect(String(deeper.failure)).toContain('the archive has no model.onnx');
    expect(await readdir(deeper.into)).toEqual(['tokens.txt']);
  });

  test('a file that is larger than what is written at once is unpacked whole', async () => {
    const archive = join(home, 'large.tar.bz2');
    await writeFile(archive, Buffer.from(LARGE, 'base64'));
    const into = join(home, 'large');
    await mkdir(into);
    const sums = await unpackModel(archive, into, WANTED, 2_000_000);
    expect(await readFile(join(into, 'model.onnx'))).toEqual(Buffer.alloc(1_000_000));
    expect([...sums.keys()]).toEqual(WANTED);
  });

  test('of a file that is there twice, the last one is stored, with its checksum', async () => {
    const archive = join(home, 'twice.tar.bz2');
    await writeFile(archive, Buffer.from(TWICE, 'base64'));
    const into = join(home, 'twice');
    await mkdir(into);
    const sums = await unpackModel(archive, into, WANTED, TAR_BYTES);
    expect(await readFile(join(into, 'model.onnx'), 'utf8')).toBe('three');
    expect(sums.get('model.onnx')).toBe(createHash('sha256').update('three').digest('hex'));
  });

  test('the limit is exact: not one byte more is unpacked', async () => {
    const allowed = await unpacked('m/model.onnx');
    expect(allowed.failure).toBeNull();
    expect((await readdir(allowed.into)).sort()).toEqual(WANTED);
    const refused = await unpacked('m/model.onnx', { most: TAR_BYTES - 1 });
    expect(refused.failure).toBeInstanceOf(ArchiveError);
    expect(await readdir(refused.into)).toEqual([]);
  });

  test('the limit is that of all blocks together', async () => {
    const archive = join(home, 'blocks.tar.bz2');
    await writeFile(archive, Buffer.from(BLOCKS, 'base64'));
    const into = join(home, 'blocks');
    await mkdir(into);
    const [enough, less] = [TAR_BYTES, TAR_BYTES - 1];
    await expect(unpackModel(archive, into, WANTED, less)).rejects.toThrow(
      `more than ${less} bytes`,
    );
    expect((await unpackModel(archive, into, WANTED, enough)).size).toBe(2);
  });

  test('an abort ends it with its reason, and stores nothing', async () => {
    const reason = new Error('stopped by the caller');
    const { into, failure } = await unpacked('m/model.onnx', { signal: AbortSignal.abort(reason) });
    // Not an error of the archive, which would be downloaded again.
    expect(failure).toBe(reason);
    expect(await readdir(into)).toEqual([]);
  });

  test('an error of the disk is not blamed on the archive, so it is not downloaded again', async () => {
    const { failure } = await unpacked('m/model.onnx', { folder: 'missing' });
    expect(failure).not.toBeInstanceOf(ArchiveError);
    expect(failure).toMatchObject({ code: 'ENOENT' });
  });
});

describe('fallbacks for models that are unavailable', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const where = { modelsDir: folder, language: 'en' };
  const TRANSDUCER = 'parakeet-110m-transducer';

  /** Gets only these models, and records the requests. */
  function getter(error: Error, ...there: string[]) {
    const asked: string[] = [];
    const get = async (name: string) => {
      asked.push(name);
      if (there.includes(name)) return `${name} here`;
      throw error;
    };
    return { asked, get };
  }

  test('the model itself, otherwise its fallback with the reason, otherwise the first error', async () => {
    const broken = new Error('broken');
    expect(await getOrFallback(where, TRANSDUCER, getter(broken, TRANSDUCER).get)).toEqual({
      value: `${TRANSDUCER} here`,
      name: TRANSDUCER,
    });
    expect(await getOrFallback(where, TRANSDUCER, getter(broken, 'parakeet-110m').get)).toEqual({
      value: 'parakeet-110m here',
      name: 'parakeet-110m',
      failure: broken,
    });
    await expect(getOrFallback(where, TRANSDUCER, getter(broken).get)).rejects.toBe(broken);
  });

  test('unreachable hosts are not tried twice: the next is in npm, or an installed one', async () => {
    const error = new Error('model_unavailable', {
      cause: new UnreachableError('no route', { network: true, retryable: false }),
    });
    const first = getter(error, 'parakeet-110m');
    await expect(getOrFallback(where, TRANSDUCER, first.get)).rejects.toBe(error);
    expect(first.asked).toEqual([TRANSDUCER, 'moonshine-base']);
    await mkdir(join(folder, 'parakeet-110m'));
    await writeTinyModel(join(folder, 'parakeet-110m'));
    expect((await getOrFallback(where, TRANSDUCER, first.get)).name).toBe('parakeet-110m');
  });

  test('a fallback has to support the language, and an aborted run gets none', async () => {
    expect(fallbackFor('sense-voice', 'ja')).toBe('whisper-small');
    expect(fallbackFor('sense-voice', 'yue')).toBeUndefined();
    expect(fallbackFor('whisper-base', 'en')).toBeUndefined();
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    const asked = getter(new Error('broken'), 'parakeet-110m');
    const got = getOrFallback({ ...where, signal: stop.signal }, TRANSDUCER, asked.get);
    await expect(got).rejects.toThrow('cancelled');
  });
});

describe('work shared by several callers', () => {
  /** Work that ends on request, with the signals it was started with. */
  function slowWork() {
    const { promise, resolve } = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const tells: ((done: number) => void)[] = [];
    const work = (signal: AbortSignal, tell: (done: number) => void) => {
      signals.push(signal);
      tells.push(tell);
      return promise;
    };
    return { work, signals, tells, finish: resolve };
  }

  test('callers with the same key share the work, and each gets its progress', async () => {
    const shared = new SharedWork<string, [number]>();
    const { work, signals, tells, finish } = slowWork();
    const seen: number[] = [];
    const joined = [1, 2].map(() => shared.join('a', work, undefined, (done) => seen.push(done)));
    tells[0]?.(0.5);
    finish('done');
    expect(await Promise.all(joined)).toEqual(['done', 'done']);
    expect([signals.length, seen]).toEqual([1, [0.5, 0.5]]);
    tells[0]?.(1);
    expect(seen).toEqual([0.5, 0.5]);
  });

  test('the work continues while one caller waits, and is aborted when the last one leaves', async () => {
    const shared = new SharedWork<string, [number]>();
    const { work, signals } = slowWork();
    const [first, second] = [new AbortController(), new AbortController()];
    const joined = [first, second].map(({ signal }) => shared.join('a', work, signal));
    first.abort(new Error('first left'));
    await expect(joined[0]).rejects.toThrow('first left');
    expect(signals[0]?.aborted).toBe(false);
    second.abort(new Error('second left'));
    await expect(joined[1]).rejects.toThrow('second left');
    expect(signals[0]?.reason).toEqual(new Error('second left'));
  });

  test('a later caller starts new work, and an aborted caller starts none', async () => {
    const shared = new SharedWork<string, [number]>();
    const [old, next] = [slowWork(), slowWork()];
    const leaving = new AbortController();
    const left = shared.join('a', old.work, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const joined = shared.join('a', next.work);
    next.finish('new');
    expect(await joined).toBe('new');
    await expect(shared.join('b', next.work, leaving.signal)).rejects.toThrow('left');
    expect([old.signals.length, next.signals.length]).toEqual([1, 1]);
  });

  test('a failure reaches all callers, and is not cached', async () => {
    const shared = new SharedWork<string, []>();
    const fails = () => Promise.reject(new Error('broken'));
    const both = await Promise.allSettled([shared.join('a', fails), shared.join('a', fails)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.join('a', async () => 'fine')).toBe('fine');
  });

  test('a caller that got the result leaves no listener at its signal', async () => {
    const shared = new SharedWork<string, []>();
    const { signal } = new AbortController();
    const [added, removed] = [
      spyOn(signal, 'addEventListener'),
      spyOn(signal, 'removeEventListener'),
    ];
    await shared.join('a', async () => 'done', signal);
    expect(added.mock.calls.map(([name]) => name)).toEqual(['abort']);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe('the default limits of downloads, and their progress reports', () => {
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
      expect(progress.map(([received]) => received)).toEqual([
        0, 300, 300, 450, 450, 500, 500, 504,
      ]);
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
});

describe('removing folder names from messages', () => {
  test.each([
    [
      "ENOENT: no such file, open '/srv/captioner/data/models/a.onnx'",
      "ENOENT: no such file, open 'a.onnx'",
    ],
    ['at /srv/models/x, twice: /a /b/c', 'at x, twice: a c'],
    ['C:\\Users\\ann\\model.onnx is damaged', 'model.onnx is damaged'],
    [
      'fetched from https://models.example/a/b.tar: 404',
      'fetched from https://models.example/a/b.tar: 404',
    ],
    ['send audio/mpeg, 1/2', 'send audio/mpeg, 1/2'],
  ])('%s', (text, expected) => expect(redactPaths(text)).toBe(expected));

  test('long messages are cut, in linear time', () => {
    expect(redactPaths('/a'.repeat(1e6)).length).toBeLessThanOrEqual(300);
  });
});
