/** The app's requests about a run: its events, the bytes of its sound, and cancelling. */
import { afterEach, expect, test } from 'bun:test';
import { ApiProblem } from '../../web/api/problem.ts';
import { cancelRun, listRuns, runEvents } from '../../web/api/runs.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
});

/** Answers the requests of a test, and keeps them. */
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
