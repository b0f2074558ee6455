/** The app's requests about a run: its events, the bytes of its sound, and cancelling. */
import { afterEach, expect, test } from 'bun:test';
import { ApiProblem } from '../../web/api/request.ts';
import { cancelRun, hasCaptions, listRuns, runEvents, startRun } from '../../web/api/runs.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
});

/** Gives these answers to the next requests; returns the requests. */
function answering(...answers: Response[]): Request[] {
  const asked: Request[] = [];
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    asked.push(new Request(new URL(path, 'http://localhost:3000'), init));
    return answers[asked.length - 1]!;
  }) as unknown as typeof fetch;
  return asked;
}

const refusal = (status: number) =>
  Response.json({ error: { code: 'refused', message: 'No.' } }, { status });
const events = (...lines: string[]) => new Response(`${lines.join('\n')}\n\n`);
const RUNNING = ['id: 7', 'event: run', 'data: {"state":"running"}'];
const signal = new AbortController().signal;

test('events are requested from the last one on, with the words', async () => {
  const asked = answering(events(...RUNNING));
  const news = await Array.fromAsync(runEvents('k', 'run_1', '6', signal));
  expect(news).toMatchObject([{ id: '7', event: 'run', data: { state: 'running' } }]);
  const [{ url, headers }] = asked as [Request];
  expect(url).toEndWith('/workflows/captioner/run_1/events?include=transcript');
  expect([headers.get('accept'), headers.get('last-event-id')]).toEqual(['text/event-stream', '6']);
});

test('an earlier version of the service gets requests for the state only', async () => {
  const asked = answering(refusal(422), events(...RUNNING));
  expect(await Array.fromAsync(runEvents('k', 'run_1', null, signal))).toHaveLength(1);
  expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?include=transcript', '']);
  for (const { headers } of asked) {
    expect([headers.get('accept'), headers.has('last-event-id')]).toEqual([
      'text/event-stream',
      false,
    ]);
  }
});

test('another refusal of the events is reported, without a second request', async () => {
  const asked = answering(refusal(404), events(...RUNNING));
  const failure = await Array.fromAsync(runEvents('k', 'run_1', null, signal)).catch(
    (error: unknown) => error,
  );
  expect([(failure as ApiProblem).status, asked.length]).toEqual([404, 1]);
});

test('events arrive in any pieces, of known kinds only, and are of the run unless they say otherwise', async () => {
  const sent = [
    ': still here\n\n',
    'id: 1\ndata: {"state":"queued"}\n\n',
    'id: 2\nevent: later\ndata: {}\n\n',
    'event: transcript\ndata: {"text":"Grüße"}\n\n',
  ].join('');
  const bytes = new TextEncoder().encode(sent);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  answering(new Response(body));
  expect(await Array.fromAsync(runEvents('k', 'run_1', null, signal))).toEqual([
    { id: '1', event: 'run', data: { state: 'queued' } },
    { id: '', event: 'transcript', data: { text: 'Grüße' } },
  ] as never);
});

test('a run is started once, however often it is asked for', async () => {
  const asked = answering(Response.json({ runId: 'run_1' }));
  expect(await startRun('k', {} as never, 'once', signal)).toBe('run_1');
  const [{ method, headers }] = asked as [Request];
  expect([method, headers.get('idempotency-key'), headers.get('content-type')]).toEqual([
    'POST',
    'once',
    'application/json',
  ]);
});

test('a list is asked for from its cursor on, without a body', async () => {
  const asked = answering(Response.json({ runs: [] }), Response.json({ runs: [] }));
  await listRuns('k', { limit: 2 });
  await listRuns('k', { limit: 2, cursor: 'a b' });
  expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=a+b']);
  expect(asked[0]!.headers.has('content-type')).toBe(false);
});

test('captions are read only until there are any', async () => {
  let cancelled = 0;
  const words = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('Hello.')),
    cancel: () => void (cancelled += 1),
  });
  const asked = answering(new Response(words), new Response(''), new Response(null));
  const has = () => hasCaptions('k', 'a/b', signal);
  expect([await has(), await has(), await has(), cancelled]).toEqual([true, false, false, 1]);
  const [{ url, headers }] = asked as [Request];
  expect(new URL(url).pathname).toBe('/workflows/captioner/a%2Fb/captions.txt');
  expect(headers.get('accept')).toBe('*/*');
});

test.each(['..', 'a/b', ''])('the id %p is refused', async (id) => {
  const asked = answering();
  const failure = await Array.fromAsync(runEvents('k', id, null, signal)).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ApiProblem);
  expect(asked).toEqual([]);
});

test('a run that cannot be cancelled is reported', async () => {
  const asked = answering(refusal(409), new Response(null, { status: 204 }));
  expect(await cancelRun('k', 'run_1').catch((error: unknown) => error)).toMatchObject({
    status: 409,
  });
  await cancelRun('k', 'run_1');
  expect(asked.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
});

test.each([
  ['before there is an answer', async () => Promise.reject(new TypeError('Aborted.'))],
  ['while the answer arrives', async () => new Response('{"runs": [')],
])('a request that is cancelled %s ends as cancelled', async (_, answer) => {
  const leave = new AbortController();
  const left = new Error('The page was left.');
  globalThis.fetch = (async () => {
    leave.abort(left);
    return answer();
  }) as unknown as typeof fetch;
  const { signal } = leave;
  expect(await listRuns('k', { limit: 1, signal }).catch((error: unknown) => error)).toBe(left);
});
