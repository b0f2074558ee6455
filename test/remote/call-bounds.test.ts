/** Calls of other services: their options for `fetch`, the limits on answers and pauses, and the causes of failures. */
import { SpanKind, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { callJson, type RemoteCall } from '../../server/remote/call.ts';
import { noWaiting, type NoWaiting } from '../support/doubles/waiting.ts';

let fetched: Mock<typeof fetch>;
let waiting: NoWaiting;
beforeEach(() => {
  fetched = spyOn(globalThis, 'fetch');
  waiting = noWaiting();
});
afterEach(() => fetched.mockRestore());

const call = (given: Partial<RemoteCall> = {}) =>
  callJson({
    provider: 'deepgram',
    url: 'https://service.example/v1',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    waiting,
    ...given,
  });
const answering = (answer: () => unknown) =>
  fetched.mockImplementation((async () => answer()) as unknown as typeof fetch);
const causeOf = (made: Promise<unknown>) =>
  made.then(
    () => null,
    (error: Error) => error.cause as Error,
  );

/** The only chunk of a body, which says that it has so many bytes. */
class Chunk extends Uint8Array {
  said = 0;
  override get byteLength(): number {
    return this.said;
  }
}
const saying = (bytes: number) => {
  const chunk = new Chunk(Buffer.from('{}'));
  chunk.said = bytes;
  return { ok: true, status: 200, headers: new Headers(), body: [chunk] };
};

test('an answer has at most 256 MiB', async () => {
  answering(() => saying(2 ** 28));
  expect(await call()).toEqual({});
  answering(() => saying(2 ** 28 + 1));
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
});

test('an answer that ends within a character is not whole', async () => {
  answering(() => new Response(new Uint8Array([0x7b, 0x7d, 0xc3])));
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
});

test('a body is streamed on demand, without its own time-out and without redirects', async () => {
  answering(() => saying(2));
  async function* chunks() {
    yield new Uint8Array(1);
  }
  await call({ body: chunks });
  expect(fetched.mock.lastCall?.[1]).toMatchObject({
    method: 'POST',
    duplex: 'half',
    timeout: false,
    redirect: 'manual',
  });
  await call({ method: 'GET' });
  expect(fetched.mock.lastCall?.[1]).not.toHaveProperty('duplex');
});

test('a body that is no longer wanted is closed before its connection is', async () => {
  answering(() => saying(2));
  const closing = Promise.withResolvers<IteratorResult<Uint8Array>>();
  const body = () => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: new Uint8Array(1) }),
      return: () => closing.promise,
    }),
  });
  await call({ body });
  const stream = fetched.mock.lastCall?.[1]?.body as ReadableStream;
  let isCancelled = false;
  const cancelled = stream.cancel().then(() => (isCancelled = true));
  await new Promise(setImmediate);
  expect(isCancelled).toBe(false);
  closing.resolve({ done: true, value: undefined });
  expect(await cancelled).toBe(true);
});

test('the pauses are 0.3, 0.9 and 2.7 s, or down to half as long', async () => {
  const random = spyOn(Math, 'random');
  for (const [chance, pauses] of [
    [0, [150, 450, 1350]],
    [0.5, [300, 900, 2700]],
  ] as const) {
    waiting.pauses.length = 0;
    random.mockReturnValue(chance);
    answering(() => new Response('', { status: 503 }));
    await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
    expect(waiting.pauses).toEqual([...pauses]);
  }
  random.mockRestore();
});

test('a pause ends when the call is no longer wanted', async () => {
  answering(() => new Response('', { status: 503 }));
  const run = new AbortController();
  const pause = async (_: number, signal?: AbortSignal) => {
    run.abort(new Error('cancelled by its owner'));
    signal?.throwIfAborted();
    throw new Error('the pause went on');
  };
  const cancelled = call({ signal: run.signal, waiting: { ...waiting, pause } });
  await expect(cancelled).rejects.toThrow('cancelled by its owner');
});

test('a failure has its cause: the error of the connection, or the answer', async () => {
  const refused = new TypeError('connection refused');
  fetched.mockImplementation((() => Promise.reject(refused)) as unknown as typeof fetch);
  expect((await causeOf(call()))?.cause).toBe(refused);
  const late = { ...waiting, deadline: () => AbortSignal.abort(new Error('late')) };
  expect(await causeOf(call({ waiting: late }))).toMatchObject({
    code: 'provider_timeout',
    cause: refused,
  });
  answering(() => new Response('not JSON'));
  expect(await causeOf(call())).toMatchObject({ answer: 'not JSON' });
  answering(() => new Response(null));
  expect(await causeOf(call())).toMatchObject({ code: 'provider_bad_response', answer: '' });
});

test('each attempt is a span with the name of the provider and its host, and nothing else', async () => {
  const spans: unknown[] = [];
  const active = (name: string, options: object, work: (span: object) => unknown) => {
    spans.push([name, options]);
    return work({ setStatus() {}, end() {} });
  };
  const tracer = spyOn(trace, 'getTracer').mockReturnValue({ startActiveSpan: active } as never);
  answering(() => new Response('', { status: 504 }));
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_timeout' } });
  tracer.mockRestore();
  const attributes = { 'server.address': 'service.example' };
  const span = ['deepgram', { kind: SpanKind.CLIENT, attributes }];
  expect(spans).toEqual([span, span]);
});
