/** A run is followed to its end, and what its page offers next. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { watchRun, resultOf } from '../../../web/job/watch-run.ts';
import { signIn, signOut } from '../../../web/tab/session.ts';
import { runEndText as says } from '../../../web/texts/run-ends.ts';
import { nextSteps } from '../../../web/job/next-steps.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

const { fetch: own } = globalThis;

/** The requests so far, and the waits that the test ends. */
const asked: { path: string; last: string | null; signal: AbortSignal }[] = [];

const waits: { ms: number; end: () => void }[] = [];

let stop = new AbortController();

beforeEach(() => {
  signIn({ key: 'k', email: 'ann@example.com' }, false);
  stop = new AbortController();
  spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
    waits.push({ ms, end });
    return waits.length;
  }) as never);
});

afterEach(() => {
  stop.abort();
  jest.restoreAllMocks();
  globalThis.fetch = own;
  signOut();
  asked.length = 0;
  waits.length = 0;
});

/** Answers the requests in turn; the last answer serves all others. */
function answering(...answers: (() => Response)[]): void {
  globalThis.fetch = (async (path: string, { headers, signal }: RequestInit) => {
    asked.push({ path, last: new Headers(headers).get('last-event-id'), signal: signal! });
    return answers[Math.min(asked.length, answers.length) - 1]!();
  }) as unknown as typeof fetch;
}

const event = (id: string, kind: 'run' | 'transcript', data: object): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;

const stream = (events: string) => () => new Response(events);

const AT = '2026-05-01T10:00:00.000Z';

const running = { runId: 'run_1', state: 'running', createdAt: AT, finishedAt: null };

const completed = {
  ...running,
  state: 'completed',
  finishedAt: AT,
  envelope: { result: examples.completedResult },
};

const queued = { ...running, state: 'queued' };

/** Runs everything that waits only for a turn of the event loop. */
const turns = async (): Promise<void> => {
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a stream that breaks is resumed soon, after its last event', async () => {
  answering(
    stream(event('3', 'transcript', { text: 'One.' })),
    stream(event('4', 'run', running)),
    stream(event('5', 'transcript', { text: 'Two.' }) + event('6', 'run', completed)),
  );
  const { heard, run } = watchRun('run_1', stop.signal);
  for (let at = 0; at < 2; at += 1) {
    await turns();
    expect(waits).toHaveLength(at + 1);
    waits[at]!.end();
  }
  await turns();
  // The browser of this test stores nothing; the run is shown all the same.
  expect(run.peek()?.state).toBe('completed');
  expect(heard.peek().map(({ text }) => text)).toEqual(['One.', 'Two.']);
  expect(asked.map(({ last }) => last)).toEqual([null, '3', '4']);
  expect(waits.map(({ ms }) => ms)).toEqual([500, 500]);
});

test('while a run waits, the earlier ones that are not finished are counted', async () => {
  const runs = [
    { ...running, createdAt: '2026-05-01T10:00:01.000Z' },
    queued,
    { ...running, createdAt: '2026-05-01T09:59:59.000Z' },
    { ...completed, createdAt: '2026-05-01T09:00:00.000Z' },
    { ...queued, createdAt: '2026-05-01T08:00:00.000Z' },
  ];
  const open = new ReadableStream({
    start: (controller) => controller.enqueue(event('1', 'run', queued)),
  }).pipeThrough(new TextEncoderStream());
  answering(
    () => new Response(open),
    () => Response.json({ runs }),
    () => new Response('', { status: 500 }),
    () => Response.json({ runs: [queued] }),
  );
  const { ahead } = watchRun('run_1', stop.signal);
  await turns();
  expect(ahead.peek()).toBe(2);
  expect(waits.map(({ ms }) => ms)).toEqual([3000]);
  waits[0]!.end();
  await turns();
  // If the count cannot be fetched, the last one stays.
  expect([ahead.peek(), waits.length]).toEqual([2, 2]);
  waits[1]!.end();
  await turns();
  expect([ahead.peek(), waits.length]).toEqual([0, 3]);
  stop.abort();
  waits[2]!.end();
  await turns();
  expect([asked.length, waits.length]).toEqual([4, 3]);
});

test('a run that the service does not have has no result', async () => {
  answering(() =>
    Response.json({ error: { code: 'run_not_found', message: 'No.' } }, { status: 404 }),
  );
  expect(await resultOf('run_1')).toBeNull();
});

const AGAIN = 'Run it again';

test.each([
  ['audio_unreadable', 'other-file'],
  ['audio_too_long', 'other-file'],
  ['audio_not_found', says.uploadAgain],
  ['cancelled', AGAIN],
  ['internal', AGAIN],
  ['language_unsupported', 'settings'],
  ['provider_rate_limited', says.transcribeWith('Deepgram')],
])('the first step after %s is %s', (code, expected) => {
  const payloadPatch = { transcription: { provider: 'deepgram' } };
  const suggestion = { label: 'Transcribe with deepgram', description: 'Why', payloadPatch };
  const [first] = nextSteps({ code, suggestions: [suggestion] }, AGAIN);
  expect(first?.kind === 'again' ? first.label : first?.kind).toBe(expected);
});

test.each<[patch: Record<string, unknown>, label: string | null, hint: string | null]>([
  [{ captions: { maxLines: 1 } }, 'Label', 'Why'],
  [{ audit: { provider: 'none' } }, says.auditNone, says.auditNoneHint],
  [{ audit: { provider: 'edge' } }, says.auditHere, null],
  [{ audit: { model: 'auto' } }, says.anyModel, null],
  [{ storage: { keep: true } }, null, null],
  [{ storage: { keep: true }, captions: {} }, 'Label', 'Why'],
  [{ transcription: { provider: 7 } }, says.anyModel, null],
  [{ transcription: { provider: 'other' } }, says.transcribeWith('other'), null],
])('a step has the patch and the hint of its suggestion: %j', (payloadPatch, label, hint) => {
  const suggestion = { label: 'Label', description: 'Why', payloadPatch };
  const error = { code: 'provider_unavailable', suggestions: [suggestion] };
  const expected = { kind: 'again', label, ...(hint && { hint }), patch: payloadPatch };
  expect(nextSteps(error, AGAIN).slice(0, -2)).toEqual(label ? [expected as never] : []);
});
