/** A download host that tests can make misbehave, with a folder for models. */
import { afterEach, beforeEach } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureModel } from '../../server/models/models.ts';
import { until } from '../support/servers/client.ts';

/** The bytes of a file in test/fixtures/models. */
export const archive = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../fixtures/models/${name}`, import.meta.url)));

/** The host's reaction to a request, given the number of earlier requests. */
export type Behaviour = (
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
) => void | Promise<void>;

export interface ReleaseHost {
  url: string;
  /** The Range header of each request, in order. */
  ranges: (string | undefined)[];
  close(): Promise<void>;
}

export async function releaseHost(behaviour: Behaviour): Promise<ReleaseHost> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    void behaviour(request, response, ranges.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    ranges,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Serves bytes like a well-behaved host: Range, If-Range, ETag. */
export function serve(
  bytes: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  etag = '"one"',
): void {
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  if (range && request.headers['if-range'] === etag) {
    response.writeHead(206, {
      etag,
      'content-length': bytes.length - start,
      'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
    });
    response.end(bytes.subarray(start));
    return;
  }
  response.writeHead(200, { etag, 'content-length': bytes.length });
  response.end(bytes);
}

/** The requested model, and the bytes of its archive. */
export const NAME = 'parakeet-110m';
export const tiny = archive('tiny-model.tar.bz2');

/** A well-behaved host. */
export const whole: Behaviour = (request, response) => serve(tiny, request, response);

/** The timeouts for a host in these tests. */
export const limits = { connect: 20_000, stall: 1_000, backoff: 5, attempts: 4 };

/** Creates a folder for models, a new one for each test of the file, and downloads into it. */
export function modelStore() {
  const store = {
    path: '',
    /** The host started last; it ends with the test. */
    host: undefined as ReleaseHost | undefined,
    /** Starts a host and downloads a model from it. */
    async fetchFrom(behaviour: Behaviour, name = NAME, signal?: AbortSignal) {
      store.host = await releaseHost(behaviour);
      return ensureModel(store.path, name, {
        baseUrl: store.host.url,
        limits,
        ...(signal && { signal }),
      });
    },
    /** Downloads the model from the host started last, or finds it. */
    again: () => ensureModel(store.path, NAME, { baseUrl: store.host?.url ?? '' }),
    /** Announces all bytes, sends `length` of them, and cuts the connection once they are in the folder. */
    async cut(bytes: Buffer, length: number, response: ServerResponse, etag = '"one"') {
      response.writeHead(200, { etag, 'content-length': bytes.length });
      response.write(bytes.subarray(0, length));
      const work = join(store.path, '.downloads');
      await until(async () => {
        const part = (await readdir(work)).find((file) => file.endsWith('.part'));
        return part && (await stat(join(work, part))).size === length;
      });
      response.destroy();
    },
  };
  beforeEach(() => {
    store.path = mkdtempSync(join(tmpdir(), 'models-'));
  });
  afterEach(async () => {
    await store.host?.close();
    store.host = undefined;
    rmSync(store.path, { recursive: true, force: true });
  });
  return store;
}
