/** The calls to the moderation model: their number at a time, and their time limit. */
import { afterAll, expect, test } from 'bun:test';
import { createModerator } from '../../server/moderation/registry.ts';
import { buildTranscript } from '../../server/speech/seams.ts';
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
