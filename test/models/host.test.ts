/** Downloading models from a misbehaving host. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureModel } from '../../server/models/models.ts';
import { failureOf } from '../support/failure-of.ts';
import { archive, modelStore, NAME, limits, releaseHost, serve, tiny, whole } from './support.ts';

setDefaultTimeout(300_000);

const store = modelStore();

describe('a host that misbehaves', () => {
  test('cuts the connection: the rest is requested', async () => {
    const model = await store.fetchFrom((request, response, count) =>
      count === 0 ? store.cut(tiny, 1_000, response) : serve(tiny, request, response),
    );
    expect(model.kind).toBe('nemo_ctc');
    expect(store.host?.ranges).toEqual([undefined, 'bytes=1000-']);
  });

  test('cuts and then ignores Range: the whole file is downloaded again', async () => {
    const model = await store.fetchFrom((request, response, count) => {
      delete request.headers.range;
      return count === 0 ? store.cut(tiny, 1_000, response) : serve(tiny, request, response);
    });
    expect(model.kind).toBe('nemo_ctc');
  });

  test('cuts, and then has another file: it is downloaded from the start', async () => {
    const model = await store.fetchFrom((request, response, count) =>
      count === 0
        ? store.cut(Buffer.alloc(5_000, 1), 2_000, response, '"old"')
        : serve(tiny, request, response, '"new"'),
    );
    expect(model.kind).toBe('nemo_ctc');
  });

  test('cuts, with a weak tag: it is downloaded from the start, as it may be another file', async () => {
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

  test('stalls: it is retried', async () => {
    const model = await store.fetchFrom((request, response, count) => {
      if (count > 0) return serve(tiny, request, response);
      response.writeHead(200, { etag: '"one"', 'content-length': tiny.length });
      response.write(tiny.subarray(0, 500));
    });
    expect(model.kind).toBe('nemo_ctc');
    expect(store.host?.ranges.length).toBe(2);
  });

  test('cuts every time: the download fails, keeps its bytes, and resumes later', async () => {
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

  test('503 is retried, 404 is not', async () => {
    const model = await store.fetchFrom((request, response, count) => {
      if (count > 0) return serve(tiny, request, response);
      response.writeHead(503).end('busy');
    });
    expect(model.kind).toBe('nemo_ctc');
    await store.host?.close();
    const failure = await failureOf(
      store.fetchFrom((_request, response) => void response.writeHead(404).end(), 'parakeet-v3'),
    );
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(failure.message).toContain('404');
    expect(store.host?.ranges.length).toBe(1);
  });

  test('sends damaged bytes: nothing is installed, and the next try starts from the beginning', async () => {
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
  ])('sends %s', async (_name, bytes) => {
    const failure = await failureOf(
      store.fetchFrom((request, response) => serve(bytes, request, response)),
    );
    expect(failure.code).toBe('model_unavailable');
    expect((await readdir(store.path)).sort()).toEqual(['.downloads']);
  });

  test('cannot be reached: the download fails immediately and names the host', async () => {
    store.host = await releaseHost(() => {});
    await store.host.close();
    const failure = await failureOf(ensureModel(store.path, NAME, { baseUrl: store.host.url }));
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(failure.message).toContain(store.host.url);
    expect(failure.suggestions.length).toBeGreaterThan(0);
    store.host = undefined;
  });

  test('does not respond: the download times out', async () => {
    const failure = await failureOf(
      (async () => {
        store.host = await releaseHost(() => {});
        return ensureModel(store.path, NAME, {
          baseUrl: store.host.url,
          limits: { ...limits, connect: 100 },
        });
      })(),
    );
    expect(failure).toMatchObject({ retryable: true });
    expect(failure.message).toContain('no answer');
  });
});
