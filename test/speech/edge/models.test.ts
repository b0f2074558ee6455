import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureModel, findModel, modelFor, MODELS } from '../../../server/speech/edge/models.ts';
import {
  archive,
  type Behaviour,
  cut,
  type ReleaseHost,
  releaseHost,
  serve,
  temporaryFolder,
} from './models-support.ts';
import { failureOf } from '../../support/failure-of.ts';

setDefaultTimeout(120_000);

const tiny = archive('tiny-model.tar.bz2');
const NAME = 'parakeet-110m';
const patience = { connect: 2_000, stall: 300, backoff: 5, attempts: 4 };

let folder: ReturnType<typeof temporaryFolder>;
let host: ReleaseHost | undefined;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  await host?.close();
  host = undefined;
  folder.clean();
});

/** Starts the host and asks for the model there. */
async function fetchFrom(behaviour: Behaviour, name = NAME, signal?: AbortSignal) {
  host = await releaseHost(behaviour);
  return ensureModel(folder.path, name, {
    baseUrl: host.url,
    patience,
    ...(signal && { signal }),
  });
}

const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('modelFor', () => {
  test.each([
    ['en', 'auto', 'parakeet-110m'],
    ['en-US', 'auto', 'parakeet-110m'],
    ['EN-gb', 'auto', 'parakeet-110m'],
    ['pt-BR', 'auto', 'parakeet-v3'],
    ['DE', 'auto', 'parakeet-v3'],
    ['uk', 'auto', 'parakeet-v3'],
    ['ja', 'auto', null],
    ['zh-Hant-TW', 'auto', null],
    ['english', 'auto', null],
    ['', 'auto', null],
    ['en', 'parakeet-v3', 'parakeet-v3'],
    ['de', 'parakeet-110m', null],
    ['en', 'silero-vad', null],
    ['ja', '/models/ours', '/models/ours'],
  ])('%s with %s: %s', (language, setting, expected) => {
    expect(modelFor(language, setting)).toBe(expected);
  });

  test('25 languages in all', () => {
    expect(MODELS.find((model) => model.name === 'parakeet-v3')?.languages.length).toBe(25);
  });
});

describe('findModel', () => {
  const put = async (path: string, content = 'x'): Promise<void> => {
    await mkdir(join(folder.path, path, '..'), { recursive: true });
    await writeFile(join(folder.path, path), content);
  };

  test('nothing there', async () => {
    expect(await findModel(folder.path, NAME)).toBeNull();
    expect(await findModel(join(folder.path, 'missing'), NAME)).toBeNull();
  });

  test('a folder put there by hand, without sums', async () => {
    await put(`${NAME}/tokens.txt`);
    expect(await findModel(folder.path, NAME)).toBeNull();
    await put(`${NAME}/model.onnx`);
    await put(`${NAME}/model.int8.onnx`);
    expect(await findModel(folder.path, NAME)).toEqual({
      name: NAME,
      folder: join(folder.path, NAME),
      kind: 'nemo_ctc',
      files: {
        model: join(folder.path, NAME, 'model.int8.onnx'),
        tokens: join(folder.path, NAME, 'tokens.txt'),
      },
    });
  });

  test('a folder anywhere, known by its files', async () => {
    for (const file of ['encoder.int8.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt']) {
      await put(`mine/${file}`);
    }
    const path = join(folder.path, 'mine');
    expect(await findModel('/nowhere', path)).toMatchObject({
      name: 'mine',
      kind: 'nemo_transducer',
      files: { encoder: join(path, 'encoder.int8.onnx'), joiner: join(path, 'joiner.onnx') },
    });
  });

  test('a model of another kind under a name of ours is not it', async () => {
    await put(`parakeet-v3/model.onnx`);
    await put(`parakeet-v3/tokens.txt`);
    expect(await findModel(folder.path, 'parakeet-v3')).toBeNull();
  });

  test('silero_vad.onnx, in its folder or loose', async () => {
    await put('silero_vad.onnx');
    const loose = await findModel(folder.path, 'silero-vad');
    expect(loose).toMatchObject({
      kind: 'vad',
      files: { model: join(folder.path, 'silero_vad.onnx') },
    });
    await put('silero-vad/silero_vad.onnx');
    expect((await findModel(folder.path, 'silero-vad'))?.folder).toBe(
      join(folder.path, 'silero-vad'),
    );
  });

  test('sums are checked, and again when a file has changed', async () => {
    await put(`${NAME}/tokens.txt`, 'tokens');
    await put(`${NAME}/model.onnx`, 'weights');
    const sums = `${sum(Buffer.from('tokens'))}  tokens.txt\n${sum(Buffer.from('weights'))}  model.onnx\n`;
    await put(`${NAME}/SHA256SUMS`, sums);
    expect(await findModel(folder.path, NAME)).not.toBeNull();
    await put(`${NAME}/model.onnx`, 'Weights');
    await utimes(join(folder.path, NAME, 'model.onnx'), 1, 1);
    expect(await findModel(folder.path, NAME)).toBeNull();
    await put(`${NAME}/SHA256SUMS`, sums.split('\n')[0]);
    await put(`${NAME}/model.onnx`, 'weights');
    expect(await findModel(folder.path, NAME)).toBeNull();
  });
});

describe('ensureModel', () => {
  test('fetches, unpacks only what is wanted, writes sums, leaves nothing else', async () => {
    const progress: [number, number][] = [];
    host = await releaseHost((request, response) => serve(tiny, request, response));
    const model = await ensureModel(folder.path, NAME, {
      baseUrl: host.url,
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
    expect(await readdir(join(folder.path, '.downloads'))).toEqual([`${NAME}.lock`]);
    await ensureModel(folder.path, NAME, { baseUrl: host.url });
    expect(host.ranges.length).toBe(1);
  });

  test('a model that is one file', async () => {
    const bytes = Buffer.from('voice activity');
    const model = await fetchFrom(
      (request, response) => serve(bytes, request, response),
      'silero-vad',
    );
    expect(model.kind).toBe('vad');
    expect(await readFile(join(folder.path, 'silero-vad', 'silero_vad.onnx'), 'utf8')).toBe(
      'voice activity',
    );
  });

  test('ten callers at once: one download', async () => {
    host = await releaseHost((request, response) => serve(tiny, request, response));
    const options = { baseUrl: host.url };
    const models = await Promise.all(
      Array.from({ length: 10 }, () => ensureModel(folder.path, NAME, options)),
    );
    expect(new Set(models.map((model) => model.folder)).size).toBe(1);
    expect(host.ranges.length).toBe(1);
  });

  test('two processes at once: one download', async () => {
    host = await releaseHost(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      serve(tiny, request, response);
    });
    const script = `
      import { ensureModel } from ${JSON.stringify(fileURLToPath(new URL('../../../server/speech/edge/models.ts', import.meta.url)))};
      const model = await ensureModel(${JSON.stringify(folder.path)}, '${NAME}', { baseUrl: '${host.url}' });
      console.log(model.kind);`;
    const run = (): Promise<string> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['-e', script], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (data: Buffer) => (output += data.toString()));
        child.on('close', () => resolve(output.trim()));
      });
    expect(await Promise.all([run(), run()])).toEqual(['nemo_ctc', 'nemo_ctc']);
    expect(host.ranges.length).toBe(1);
  }, 20_000);

  test('one caller leaves, the others still get it; when all leave it stops', async () => {
    const controller = new AbortController();
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    host = await releaseHost(async (request, response) => {
      await gate;
      serve(tiny, request, response);
    });
    const leaving = ensureModel(folder.path, NAME, {
      baseUrl: host.url,
      signal: controller.signal,
    });
    const staying = ensureModel(folder.path, NAME, { baseUrl: host.url });
    leaving.catch(() => {});
    while (host.ranges.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error('left'));
    expect(leaving).rejects.toThrow('left');
    go();
    expect((await staying).kind).toBe('nemo_ctc');
    expect(host.ranges.length).toBe(1);
  });

  test('aborted while the host is silent: rejects at once, and can be asked again', async () => {
    const controller = new AbortController();
    let asked = (): void => {};
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    const fetching = fetchFrom(
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
    const again = await ensureModel(folder.path, NAME, { baseUrl: host?.url ?? '' });
    expect(again.kind).toBe('nemo_ctc');
  });
});

describe('a host that misbehaves', () => {
  test('cuts the connection: the rest is asked for', async () => {
    const model = await fetchFrom((request, response, count) =>
      count === 0 ? cut(tiny, 1_000, response) : serve(tiny, request, response),
    );
    expect(model.kind).toBe('nemo_ctc');
    expect(host?.ranges).toEqual([undefined, 'bytes=1000-']);
  });

  test('cuts and then ignores Range: all of it again', async () => {
    const model = await fetchFrom((request, response, count) => {
      delete request.headers.range;
      return count === 0 ? cut(tiny, 1_000, response) : serve(tiny, request, response);
    });
    expect(model.kind).toBe('nemo_ctc');
  });

  test('cuts, and has another file then: all of it again', async () => {
    const model = await fetchFrom((request, response, count) =>
      count === 0
        ? cut(Buffer.alloc(5_000, 1), 2_000, response, '"old"')
        : serve(tiny, request, response, '"new"'),
    );
    expect(model.kind).toBe('nemo_ctc');
  });

  test('stalls: tried again', async () => {
    const model = await fetchFrom((request, response, count) => {
      if (count > 0) return serve(tiny, request, response);
      response.writeHead(200, { etag: '"one"', 'content-length': tiny.length });
      response.write(tiny.subarray(0, 500));
    });
    expect(model.kind).toBe('nemo_ctc');
    expect(host?.ranges.length).toBe(2);
  });

  test('cuts every time: gives up, keeps what came, goes on later', async () => {
    const failure = await failureOf(
      fetchFrom((request, response) => {
        const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
        return start === 0 ? cut(tiny, 1_000, response) : void response.socket?.destroy();
      }),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true, model: NAME });
    await host?.close();
    const model = await fetchFrom((request, response) => serve(tiny, request, response));
    expect(model.kind).toBe('nemo_ctc');
  });

  test('503 first: tried again; 404: not', async () => {
    const model = await fetchFrom((request, response, count) => {
      if (count > 0) return serve(tiny, request, response);
      response.writeHead(503).end('busy');
    });
    expect(model.kind).toBe('nemo_ctc');
    await host?.close();
    const failure = await failureOf(
      fetchFrom((_request, response) => void response.writeHead(404).end(), 'parakeet-v3'),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(failure.message).toContain('404');
    expect(host?.ranges.length).toBe(1);
  });

  test('gives damaged bytes: nothing is put in place, the next try starts anew', async () => {
    const damaged = Buffer.from(tiny);
    damaged.fill(0x55, 1_500, 1_600);
    const failure = await failureOf(
      fetchFrom((request, response) => serve(damaged, request, response)),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(failure.message).toContain('damaged');
    expect(existsSync(join(folder.path, NAME))).toBe(false);
    expect(await readdir(join(folder.path, '.downloads'))).toEqual([`${NAME}.lock`]);
    await host?.close();
    const model = await fetchFrom((request, response) => serve(tiny, request, response));
    expect(model.kind).toBe('nemo_ctc');
  });

  test.each([
    ['half an archive', tiny.subarray(0, 2_000)],
    ['no archive', Buffer.from('<html>not here</html>'.repeat(50))],
    ['names that lead elsewhere', archive('escaping.tar.bz2')],
    ['a link in place of a file', archive('linked.tar.bz2')],
    ['nothing', Buffer.alloc(0)],
  ])('gives %s', async (_name, bytes) => {
    const failure = await failureOf(
      fetchFrom((request, response) => serve(bytes, request, response)),
    );
    expect(failure.code).toBe('model_unavailable');
    expect((await readdir(folder.path)).sort()).toEqual(['.downloads']);
  });

  test('cannot be reached: fails at once and says where', async () => {
    host = await releaseHost(() => {});
    await host.close();
    const failure = await failureOf(ensureModel(folder.path, NAME, { baseUrl: host.url }));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(failure.message).toContain(host.url);
    expect(failure.suggestions.length).toBeGreaterThan(0);
    host = undefined;
  });

  test('does not answer: fails after the time for it', async () => {
    const failure = await failureOf(
      (async () => {
        host = await releaseHost(() => {});
        return ensureModel(folder.path, NAME, {
          baseUrl: host.url,
          patience: { ...patience, connect: 100 },
        });
      })(),
    );
    expect(failure).toMatchObject({ retryable: true });
    expect(failure.message).toContain('no answer');
  });
});

describe('the folder', () => {
  test('what a killed process left is swept or used', async () => {
    const work = join(folder.path, '.downloads');
    await mkdir(join(work, `${NAME}.unpacked`), { recursive: true });
    await writeFile(join(work, `${NAME}.unpacked`, 'tokens.txt'), 'half');
    await fetchFrom((request, response) => serve(tiny, request, response));
    expect(await readdir(work)).toEqual([`${NAME}.lock`]);
  });

  test('a killed process frees the lock', async () => {
    host = await releaseHost((request, response, count) => {
      if (count > 0) serve(tiny, request, response);
    });
    const script = `
      import { ensureModel } from ${JSON.stringify(fileURLToPath(new URL('../../../server/speech/edge/models.ts', import.meta.url)))};
      await ensureModel(${JSON.stringify(folder.path)}, '${NAME}', { baseUrl: '${host.url}' });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    while (host.ranges.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    const model = await ensureModel(folder.path, NAME, { baseUrl: host.url });
    expect(model.kind).toBe('nemo_ctc');
  }, 20_000);

  test('a model that no longer matches its sums is fetched again, the old one set aside', async () => {
    const model = await fetchFrom((request, response) => serve(tiny, request, response));
    await writeFile(join(model.folder, 'tokens.txt'), 'spoilt!!');
    await ensureModel(folder.path, NAME, { baseUrl: host?.url ?? '' });
    expect(await readFile(join(model.folder, 'tokens.txt'), 'utf8')).toBe('a 0\nb 1\n');
    expect((await stat(join(folder.path, '.downloads', `${NAME}.replaced`))).isDirectory()).toBe(
      true,
    );
  });

  test('that cannot be written fails for good', async () => {
    await writeFile(join(folder.path, 'file'), '');
    const failure = await failureOf(
      ensureModel(join(folder.path, 'file'), NAME, { baseUrl: 'http://127.0.0.1:1/' }),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
  });

  test('a name nobody knows', async () => {
    const failure = await failureOf(ensureModel(folder.path, 'whatever'));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(failure.message).toContain('whatever');
  });
});
