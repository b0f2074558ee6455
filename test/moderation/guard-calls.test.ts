/** The calls to the moderation model: their number at a time, and their time limit. */
import { afterAll, expect, test } from 'bun:test';
import { createModerator, createLlamaGuard } from '../../server/moderation/registry.ts';
import type { ChatRequest } from '../../server/remote/chat.ts';
import { buildTranscript } from '../../server/speech/transcript.ts';
import { spoken } from '../support/doubles/scripted-speech.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { completion } from '../support/doubles/chat-double.ts';

const double = await startHttpDouble(() => Response.json(completion('safe')));
afterAll(() => double.close());

const transcriptOf = (words: number) =>
  buildTranscript(spoken(Array.from({ length: words }, (_, at) => `word${at}`).join(' ')), {
    language: 'en',
    duration: 10_000,
  });
const context = () => ({ signal: new AbortController().signal, progress: () => {} });

test('four chunks of about 400 words are judged at a time', async () => {
  const asked: ChatRequest[] = [];
  let [running, most] = [0, 0];
  const moderator = createLlamaGuard({
    model: 'guard',
    timeoutMs: 7000,
    service: {
      provider: 'edge',
      async chat(request) {
        asked.push(request);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { text: 'safe', tokens: 1, cut: false };
      },
    },
  });
  const verdict = await moderator.moderate(transcriptOf(3640), context());
  // Each chunk repeats the last forty words of the one before it.
  expect(verdict.chunksChecked).toBe(10);
  expect(asked.map(({ messages }) => messages[0]?.content.split(' ').length)).toEqual(
    Array.from({ length: 10 }, () => 400),
  );
  expect(most).toBe(4);
  expect(new Set(asked.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([7000]));
});

test('a call may take as long as the server allows', async () => {
  const waiting = noWaiting();
  const edge = { baseUrl: `${double.origin}/v1`, model: 'guard' };
  const config = { workersAi: null, moderation: { edge }, providerTimeoutMs: 12_345 };
  await createModerator(config, waiting).moderate(transcriptOf(3), context());
  expect(waiting.limits).toEqual([12_345]);
});

test.each([
  ['Workers AI', true],
  ['another server', false],
])(
  '%s is asked again after a pause if it is busy, and its failure names edge',
  async (_, cloud) => {
    const waiting = noWaiting();
    const account = { accountId: 'acc', apiToken: 'token', baseUrl: double.origin };
    const config = {
      workersAi: cloud ? account : null,
      moderation: { edge: { baseUrl: `${double.origin}/v1`, model: 'guard' } },
      providerTimeoutMs: 1000,
    };
    const moderator = createModerator(config, waiting);
    double.behave(() => new Response(null, { status: 503 }));
    await expect(moderator.moderate(transcriptOf(3), context())).rejects.toMatchObject({
      failure: { code: 'provider_unavailable', provider: 'edge', model: moderator.model },
    });
    double.behave(null);
    expect(waiting.pauses.length).toBeGreaterThan(0);
    expect(double.requests.length).toBeGreaterThan(waiting.pauses.length);
  },
);
