/** Sending bytes to the service: progress, answers, refusals, broken connections, and stopping. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { ApiProblem, NoAnswer } from '../../web/api/request.ts';
import { sendBytes, uploadMp3 } from '../../web/api/upload.ts';
import { uploads } from './app/support/uploads.ts';

const { XMLHttpRequest: own } = globalThis;
const asked: { path: string; init: RequestInit }[] = [];
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  asked.length = 0;
  answer = () => new Response(null, { status: 201, headers: { location: '/there' } });
  const request = uploads(async (path, init) => {
    asked.push({ path, init });
    return answer();
  });
  globalThis.XMLHttpRequest = request as unknown as typeof XMLHttpRequest;
});
afterEach(() => {
  globalThis.XMLHttpRequest = own;
});

const body = new Blob(['sound']);
const send = (
  onProgress: (sent: number) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
) =>
  sendBytes(
    { method: 'PATCH', path: '/resumable/1', headers: { 'upload-offset': '7' }, body },
    { key: 'k', signal, onProgress },
  );

test('the bytes are sent with the key and the headers, and the response is returned', async () => {
  const sent: number[] = [];
  const header = await send((bytes) => sent.push(bytes));
  expect([header('location'), header('etag')]).toEqual(['/there', null]);
  expect(sent).toEqual([5]);
  const { path, init } = asked[0]!;
  expect([init.method, path]).toEqual(['PATCH', '/resumable/1']);
  expect(Object.fromEntries(new Headers(init.headers))).toEqual({
    authorization: 'Bearer k',
    'upload-offset': '7',
  });
  expect(new TextDecoder().decode(init.body as ArrayBuffer)).toBe('sound');
});

test('a recording is sent to its key, each part of it escaped', async () => {
  const options = { key: 'k', signal: new AbortController().signal, onProgress() {} };
  await uploadMp3('my talks/50 %/é.mp3', body, options);
  const { path, init } = asked[0]!;
  expect([init.method, path]).toEqual(['PUT', '/audio/my%20talks/50%20%25/%C3%A9.mp3']);
  expect(new Headers(init.headers).get('content-type')).toBe('audio/mpeg');
});

test.each([199, 300, 409, 500])('%d is a refusal', async (status) => {
  answer = () => ({ status, headers: new Headers(), text: async () => '' }) as unknown as Response;
  const refused = await send().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiProblem);
  expect(refused).toMatchObject({ status });
});

test("a refusal has the service's message, and its retry time", async () => {
  const error = { code: 'rate_limited', message: 'Slow down.' };
  answer = () => Response.json({ error }, { status: 429, headers: { 'retry-after': '3' } });
  const refused = await send().catch((problem: unknown) => problem);
  expect(refused).toMatchObject({ ...error, retryAfter: 3 });
});

test('a broken connection counts as no response', async () => {
  answer = () => {
    throw new TypeError('network error');
  };
  expect(await send().catch((error: unknown) => error)).toBeInstanceOf(NoAnswer);
});

test('aborting ends the request with the reason, before it is sent and while it waits', async () => {
  const stopped = AbortSignal.abort('not wanted');
  expect(await send(undefined, stopped).catch((error: unknown) => error)).toBe('not wanted');
  expect(asked).toEqual([]);
  const stop = new AbortController();
  answer = () => {
    stop.abort('gone');
    return new Promise(() => {});
  };
  expect(await send(undefined, stop.signal).catch((error: unknown) => error)).toBe('gone');
});

test('a signal that is aborted later leaves requests alone that have ended', async () => {
  let stopped = 0;
  globalThis.XMLHttpRequest = class extends globalThis.XMLHttpRequest {
    override abort(): void {
      stopped += 1;
    }
  };
  const stop = new AbortController();
  await send(undefined, stop.signal);
  answer = () => {
    throw new TypeError('network error');
  };
  await send(undefined, stop.signal).catch(() => {});
  await Promise.resolve();
  stop.abort();
  expect(stopped).toBe(0);
});
