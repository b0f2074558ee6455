/** Downloading models: once for all callers, into a folder in any state. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UnreachableError, download } from '../../server/models/download.ts';
import { requireDiskSpace } from '../../server/models/disk-space.ts';
import { ensureModel } from '../../server/models/models.ts';
import { firstChecksumsFile } from '../../server/models/checksums.ts';
import { MODELS } from '../../server/models/registry.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { failureOf } from '../support/failure-of.ts';
import { until } from '../support/servers/client.ts';
import { needsSmallDisk, smallDisk } from '../support/servers/small-disk.ts';
import {
  archive,
  type Behaviour,
  limits,
  modelStore,
  NAME,
  releaseHost,
  serve,
  tiny,
  whole,
} from './support.ts';

setDefaultTimeout(300000);

describe('downloading models', () => {
  const store = modelStore();

  const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  /** Another process that downloads the model from the host, and prints its kind. */
  const otherProcess = () =>
    Bun.spawn([
      process.execPath,
      '-e',
      `import { ensureModel } from ${JSON.stringify(fileURLToPath(new URL('../../server/models/models.ts', import.meta.url)))};
       const model = await ensureModel(${JSON.stringify(store.path)}, '${NAME}', { baseUrl: '${store.host!.url}' });
       console.log(model.kind);`,
    ]);

  test('downloads, unpacks only the required files, writes checksums, and leaves nothing else', async () => {
    const progress: [number, number][] = [];
    store.host = await releaseHost(whole);
    const model = await ensureModel(store.path, NAME, {
      baseUrl: store.host.url,
      onProgress: (received, total) => progress.push([received, total]),
    });
    expect(model).toMatchObject({ name: NAME, kind: 'nemo_ctc' });
    expect((await readdir(model.folder)).sort()).toEqual([
      'SHA256SUMS',
      'model.int8.onnx',
      'tokens.txt',
    ]);
    expect(await readFile(join(model.folder, 'tokens.txt'), 'utf8')).toBe('a 0\nb 1\n');
    expect(await readFile(join(model.folder, 'SHA256SUMS'), 'utf8')).toContain(
      `${sum(await readFile(join(model.folder, 'model.int8.onnx')))}  model.int8.onnx`,
    );
    expect(progress.at(-1)).toEqual([tiny.length, tiny.length]);
    expect(await readdir(join(store.path, '.downloads'))).toEqual([`${NAME}.lock`]);
    await store.again();
    expect(store.host.ranges.length).toBe(1);
  });

  test('ten simultaneous callers share one download', async () => {
    store.host = await releaseHost(whole);
    const options = { baseUrl: store.host.url };
    const models = await Promise.all(
      Array.from({ length: 10 }, () => ensureModel(store.path, NAME, options)),
    );
    expect(new Set(models.map((model) => model.folder)).size).toBe(1);
    expect(store.host.ranges.length).toBe(1);
  });

  test('two processes share one download', async () => {
    store.host = await releaseHost(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      serve(tiny, request, response);
    });
    const others = [otherProcess(), otherProcess()].map(({ stdout }) =>
      new Response(stdout).text(),
    );
    expect(await Promise.all(others)).toEqual(['nemo_ctc\n', 'nemo_ctc\n']);
    expect(store.host.ranges.length).toBe(1);
  });

  test('if one caller aborts, the others still get it; if all abort, it stops', async () => {
    const controller = new AbortController();
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    store.host = await releaseHost(async (request, response) => {
      await gate;
      serve(tiny, request, response);
    });
    const leaving = ensureModel(store.path, NAME, {
      baseUrl: store.host.url,
      signal: controller.signal,
    });
    const staying = store.again();
    leaving.catch(() => {});
    await until(async () => store.host!.ranges.length > 0);
    controller.abort(new Error('left'));
    expect(leaving).rejects.toThrow('left');
    go();
    expect((await staying).kind).toBe('nemo_ctc');
    expect(store.host.ranges.length).toBe(1);
  });

  test('aborting while the host is silent rejects immediately, and a later call works', async () => {
    const controller = new AbortController();
    let asked = (): void => {};
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    const fetching = store.fetchFrom(
      (request, response, count) => {
        if (count === 0) asked();
        else serve(tiny, request, response);
      },
      NAME,
      controller.signal,
    );
    fetching.catch(() => {});
    await waiting;
    controller.abort(new Error('enough'));
    expect(fetching).rejects.toThrow('enough');
    const again = await store.again();
    expect(again.kind).toBe('nemo_ctc');
  });

  test('files of a killed process are removed or reused', async () => {
    const work = join(store.path, '.downloads');
    await mkdir(join(work, `${NAME}.unpacked`), { recursive: true });
    await writeFile(join(work, `${NAME}.unpacked`, 'tokens.txt'), 'half');
    await store.fetchFrom(whole);
    expect(await readdir(work)).toEqual([`${NAME}.lock`]);
  });

  test('a killed process frees the lock', async () => {
    store.host = await releaseHost((request, response, count) => {
      if (count > 0) serve(tiny, request, response);
    });
    const child = otherProcess();
    await until(async () => store.host!.ranges.length > 0);
    child.kill('SIGKILL');
    const model = await store.again();
    expect(model.kind).toBe('nemo_ctc');
  });

  test('a model that no longer matches its checksums is downloaded again, and the old one set aside', async () => {
    const model = await store.fetchFrom(whole);
    for (const spoilt of ['spoilt!!', 'again!!!']) {
      await writeFile(join(model.folder, 'tokens.txt'), spoilt);
      await store.again();
      expect(await readFile(join(model.folder, 'tokens.txt'), 'utf8')).toBe('a 0\nb 1\n');
      const aside = join(store.path, '.downloads', `${NAME}.replaced`, 'tokens.txt');
      expect(await readFile(aside, 'utf8')).toBe(spoilt);
    }
  });

  test('the folder that cannot take the checksums keeps the download, which is not repeated', async () => {
    await writeFile(join(store.path, '.sums'), '');
    const failure = await failureOf(store.fetchFrom(whole));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    await rm(join(store.path, '.sums'));
    await store.again();
    expect(store.host!.ranges).toHaveLength(1);
  });
});

describe('downloading models from a misbehaving host', async () => {
  const store = modelStore();

  test.each<[string, (response: ServerResponse) => unknown, number]>([
    ['cuts the connection', (response) => store.cut(tiny, 1000, response), 1000],
    [
      'cuts, and then has another file',
      (response) => store.cut(Buffer.alloc(5000, 1), 2000, response, '"old"'),
      2000,
    ],
    [
      'stalls',
      (response) =>
        response
          .writeHead(200, { etag: '"one"', 'content-length': tiny.length })
          .write(tiny.subarray(0, 500)),
      500,
    ],
    ['is busy', (response) => response.writeHead(503).end('busy'), 0],
  ])('a host %s: it is asked again, for the rest', async (_, first, from) => {
    const model = await store.fetchFrom((request, response, count) =>
      count === 0 ? void first(response) : serve(tiny, request, response),
    );
    expect(model.kind).toBe('nemo_ctc');
    expect(store.host?.ranges).toEqual([undefined, from ? `bytes=${from}-` : undefined]);
  });

  test('a host cuts, with a weak tag: it is downloaded from the start, as it may be another file', async () => {
    const asked: unknown[] = [];
    const model = await store.fetchFrom((request, response, count) => {
      asked.push(request.headers['if-range']);
      if (count === 0) return store.cut(tiny, 1_000, response, 'W/"one"');
      delete request.headers.range;
      return serve(tiny, request, response, 'W/"one"');
    });
    expect(model.kind).toBe('nemo_ctc');
    expect(asked).toEqual([undefined, undefined]);
  });

  test('a host cuts every time: the download fails, keeps its bytes, and resumes later', async () => {
    const failure = await failureOf(
      store.fetchFrom((request, response) => {
        const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
        return start === 0 ? store.cut(tiny, 1_000, response) : void response.socket?.destroy();
      }),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true, model: NAME });
    await store.host?.close();
    const model = await store.fetchFrom(whole);
    expect(model.kind).toBe('nemo_ctc');
  });

  test('a host sends damaged bytes: nothing is installed, and the next try starts from the beginning', async () => {
    const damaged = Buffer.from(tiny);
    damaged.fill(0x55, 1_500, 1_600);
    const failure = await failureOf(
      store.fetchFrom((request, response) => serve(damaged, request, response)),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(failure.message).toContain('damaged');
    expect(existsSync(join(store.path, NAME))).toBe(false);
    expect(await readdir(join(store.path, '.downloads'))).toEqual([`${NAME}.lock`]);
    await store.host?.close();
    const model = await store.fetchFrom(whole);
    expect(model.kind).toBe('nemo_ctc');
  });

  test.each([
    ['half an archive', tiny.subarray(0, 2_000)],
    ['no archive', Buffer.from('<html>not here</html>'.repeat(50))],
    ['names that lead elsewhere', archive('escaping.tar.bz2')],
    ['a link in place of a file', archive('linked.tar.bz2')],
    ['nothing', Buffer.alloc(0)],
  ])('a host sends %s', async (_name, bytes) => {
    const failure = await failureOf(
      store.fetchFrom((request, response) => serve(bytes, request, response)),
    );
    expect(failure.code).toBe('model_unavailable');
    expect((await readdir(store.path)).sort()).toEqual(['.downloads']);
  });
});

describe('mirrors', () => {
  const store = modelStore();
  const gone: Behaviour = (_request, response) => void response.writeHead(404).end();
  const FILES: Readonly<Record<string, Buffer>> = {
    'model.int8.onnx': Buffer.from('weights'),
    'tokens.txt': Buffer.from('a 0\n'),
  };

  /** The release host and a mirror, with the requests to the mirror. */
  async function hosts(release: Behaviour, mirror: Behaviour) {
    const asked: string[] = [];
    const [first, second] = [
      await releaseHost(release),
      await releaseHost((request, response, count) => {
        asked.push(request.url ?? '');
        return mirror(request, response, count);
      }),
    ];
    const fetched = () =>
      ensureModel(store.path, NAME, { baseUrl: first.url, mirrors: [second.url], limits });
    const close = () => Promise.all([first.close(), second.close()]);
    return { first, second, asked, fetched, close };
  }

  const files: Behaviour = (request, response) => {
    const bytes = FILES[request.url?.split('/').at(-1) ?? ''];
    if (bytes) serve(bytes, request, response);
    else response.writeHead(404).end();
  };

  test.each([
    ['does not have it', gone],
    [
      'sends something else',
      (request, response) => serve(Buffer.from('<html>'), request, response),
    ],
  ] satisfies [string, Behaviour][])(
    'a release host that %s: the files of the mirror',
    async (_, release) => {
      const both = await hosts(release, files);
      const { kind, folder } = await both.fetched();
      expect(kind).toBe('nemo_ctc');
      expect(both.asked).toEqual([
        '/sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8/resolve/main/model.int8.onnx',
        '/sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8/resolve/main/tokens.txt',
      ]);
      expect(readFileSync(join(folder, 'tokens.txt'), 'utf8')).toBe('a 0\n');
      // The sums are checked again at each start.
      expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n')).toHaveLength(3);
      await both.close();
    },
  );

  test('a mirror without one of the files leaves nothing, and the error has both addresses', async () => {
    const both = await hosts(gone, (request, response, count) =>
      count === 0 ? files(request, response, count) : gone(request, response, count),
    );
    const failure = await failureOf(both.fetched());
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true, model: NAME });
    expect(failure.message).toContain(new URL(both.first.url).host);
    expect(failure.message).toContain(new URL(both.second.url).host);
    expect(existsSync(join(store.path, NAME))).toBe(false);
    await both.close();
  });

  test('two hosts that do not answer share the time for one, are remembered, and can be asked again', async () => {
    const silent: Behaviour = () => {};
    const both = await hosts(silent, silent);
    const fetched = (skipSilent: 'minute' | 'day' | null, connect: number) =>
      ensureModel(store.path, NAME, {
        baseUrl: both.first.url,
        mirrors: [both.second.url],
        limits: { ...limits, connect },
        ...(skipSilent && { skipSilent }),
      }).catch((error: Error) => error);
    const asked = () => [both.first.ranges.length, both.asked.length];
    const began = performance.now();
    await fetched('day', 2500);
    expect(performance.now() - began).toBeLessThan(4500);
    expect(asked()).toEqual([1, 1]);
    // A model that nothing can replace does not wait for the same hosts again either.
    expect(await fetched('minute', 2500)).toBeInstanceOf(Error);
    expect(asked()).toEqual([1, 1]);
    const again = (await fetched('day', 2500)) as Error;
    expect(again.message).toContain('its hosts cannot be reached (127.0.0.1:');
    expect(again.cause).toBeInstanceOf(UnreachableError);
    expect(asked()).toEqual([1, 1]);
    await fetched(null, 800);
    expect(asked()).toEqual([2, 2]);
    await both.close();
  });

  test('a file that differs from another download is refused', async () => {
    const once = await hosts(gone, files);
    const { folder } = await once.fetched();
    await once.close();
    await Bun.file(join(folder, 'tokens.txt')).delete();
    const other = await hosts(gone, (request, response) =>
      serve(Buffer.from('other'), request, response),
    );
    const failure = await failureOf(other.fetched());
    expect(failure.message).toContain('is not the expected file');
    const left = readdirSync(join(store.path, '.downloads'));
    expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
    await other.close();
  });
});

describe('retries of downloads, their time limit and their size limit', async () => {
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
});

describe('refused downloads', () => {
  const store = modelStore();
  const sum = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');

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

  test('a repeated download must equal the first one, unless its published checksum differs', async () => {
    const [one, other] = ['voice activity', 'another voice'].map((text) => Buffer.from(text));
    let given = one!;
    store.host = await releaseHost((request, response) =>
      serve(given, request, response, `"${given.length}"`),
    );
    const fetchIt = () =>
      ensureModel(store.path, 'silero-vad', { baseUrl: store.host!.url, limits });
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
});
