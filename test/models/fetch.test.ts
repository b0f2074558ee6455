/** Downloading models: once for all callers, into a folder in any state. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureModel } from '../../server/models/models.ts';
import { failureOf } from '../support/failure-of.ts';
import { modelStore, NAME, releaseHost, serve, tiny, whole } from './support.ts';
import { until } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const store = modelStore();

const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('ensureModel', () => {
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
    await ensureModel(store.path, NAME, { baseUrl: store.host.url });
    expect(store.host.ranges.length).toBe(1);
  });

  test('a model that is one file', async () => {
    const bytes = Buffer.from('voice activity');
    const model = await store.fetchFrom(
      (request, response) => serve(bytes, request, response),
      'silero-vad',
    );
    expect(model.kind).toBe('vad');
    expect(await readFile(join(store.path, 'silero-vad', 'silero_vad.onnx'), 'utf8')).toBe(
      'voice activity',
    );
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

  test('simultaneous calls for two models, or for two folders, have a download each', async () => {
    store.host = await releaseHost((request, response) =>
      serve(request.url?.includes('silero') ? Buffer.from('voice') : tiny, request, response),
    );
    const fetchInto = (folder: string, name: string) =>
      ensureModel(join(store.path, folder), name, { baseUrl: store.host!.url });
    const models = await Promise.all([
      fetchInto('one', NAME),
      fetchInto('one', 'silero-vad'),
      fetchInto('two', NAME),
    ]);
    expect(models.map(({ folder }) => folder)).toEqual(
      [`one/${NAME}`, 'one/silero-vad', `two/${NAME}`].map((path) => join(store.path, path)),
    );
    expect(store.host.ranges).toHaveLength(3);
  });

  test('a model that another process has just installed is not downloaded', async () => {
    const other = join(store.path, 'other');
    store.host = await releaseHost(whole);
    await ensureModel(other, NAME, { baseUrl: store.host.url });
    const { signal } = new AbortController();
    let looks = 0;
    // It is asked once more after the model was found missing.
    signal.throwIfAborted = () => {
      looks += 1;
      if (looks === 2) renameSync(join(other, NAME), join(store.path, NAME));
    };
    await ensureModel(store.path, NAME, { baseUrl: store.host.url, signal });
    expect(looks).toBe(2);
    expect(store.host.ranges).toHaveLength(1);
  });

  test('an aborted call gets no model, even an installed one', async () => {
    await store.fetchFrom(whole);
    const aborted = AbortSignal.abort(new Error('left'));
    await expect(ensureModel(store.path, NAME, { signal: aborted })).rejects.toThrow('left');
  });

  test('two processes share one download', async () => {
    store.host = await releaseHost(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      serve(tiny, request, response);
    });
    const script = `
      import { ensureModel } from ${JSON.stringify(fileURLToPath(new URL('../../server/models/models.ts', import.meta.url)))};
      const model = await ensureModel(${JSON.stringify(store.path)}, '${NAME}', { baseUrl: '${store.host.url}' });
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
    const staying = ensureModel(store.path, NAME, { baseUrl: store.host.url });
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
    const again = await ensureModel(store.path, NAME, { baseUrl: store.host?.url ?? '' });
    expect(again.kind).toBe('nemo_ctc');
  });
});

describe('the folder', () => {
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
    const script = `
      import { ensureModel } from ${JSON.stringify(fileURLToPath(new URL('../../server/models/models.ts', import.meta.url)))};
      await ensureModel(${JSON.stringify(store.path)}, '${NAME}', { baseUrl: '${store.host.url}' });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    await until(async () => store.host!.ranges.length > 0);
    child.kill('SIGKILL');
    const model = await ensureModel(store.path, NAME, { baseUrl: store.host.url });
    expect(model.kind).toBe('nemo_ctc');
  });

  test('a model that no longer matches its checksums is downloaded again, and the old one set aside', async () => {
    const model = await store.fetchFrom(whole);
    for (const spoilt of ['spoilt!!', 'again!!!']) {
      await writeFile(join(model.folder, 'tokens.txt'), spoilt);
      await ensureModel(store.path, NAME, { baseUrl: store.host?.url ?? '' });
      expect(await readFile(join(model.folder, 'tokens.txt'), 'utf8')).toBe('a 0\nb 1\n');
      const aside = join(store.path, '.downloads', `${NAME}.replaced`, 'tokens.txt');
      expect(await readFile(aside, 'utf8')).toBe(spoilt);
    }
  });

  test('that cannot take the checksums keeps the download, which is not repeated', async () => {
    await writeFile(join(store.path, '.sums'), '');
    const failure = await failureOf(store.fetchFrom(whole));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    await rm(join(store.path, '.sums'));
    await ensureModel(store.path, NAME, { baseUrl: store.host!.url });
    expect(store.host!.ranges).toHaveLength(1);
  });

  test('that cannot be written is a final failure', async () => {
    await writeFile(join(store.path, 'file'), '');
    const failure = await failureOf(
      ensureModel(join(store.path, 'file'), NAME, { baseUrl: 'http://127.0.0.1:1/' }),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
  });

  test('an unknown name', async () => {
    const failure = await failureOf(ensureModel(store.path, 'whatever'));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(failure.message).toContain('whatever');
  });
});
