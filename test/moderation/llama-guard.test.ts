/**
 * Moderation by a model: all forms of its answers, chunks with times, and failures, which never let
 * a transcript pass.
 */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { readConfig } from '../../server/config/config.ts';
import { createModerator } from '../../server/moderation/registry.ts';
import { buildTranscript } from '../../server/speech/seams.ts';
import { completion } from '../support/doubles/chat-double.ts';
import type { Any } from '../support/servers/client.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { needs, shared } from '../support/requirements.ts';
import { spoken } from '../support/doubles/scripted-speech.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { workersAiWire } from '../support/doubles/speech-doubles.ts';
import { CLOUDFLARE_TOKEN } from '../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const GUARD = '@cf/meta/llama-guard-3-8b';
const double = await startHttpDouble(() => new Response(null, { status: 500 }));
afterAll(() => double.close());
beforeEach(() => void (double.requests.length = 0));

const workersAi = {
  CLOUDFLARE_ACCOUNT_ID: 'acc',
  CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
  CLOUDFLARE_BASE_URL: double.origin,
};
const moderate = (
  text: string,
  env: Record<string, string> = workersAi,
  signal = new AbortController().signal,
) => {
  const words = spoken(text);
  const transcript = buildTranscript(words, { language: 'en', duration: 1000 });
  return createModerator(readConfig(env), noWaiting()).moderate(transcript, {
    signal,
    progress: () => {},
  });
};
/** Answers like Workers AI, depending on the text of a chunk. */
const judge = (verdict: (text: string) => unknown) =>
  double.behave(
    workersAiWire({
      [GUARD]: ({ body }) => verdict(JSON.parse(body.toString()).messages[0].content),
    }),
  );

const present = existsSync(shared('fixtures/llamaguard'));
const payload = (name: string): Any =>
  JSON.parse(readFileSync(shared(`fixtures/llamaguard/${name}.json`), 'utf8'));

needs(present, 'fixtures/llamaguard of the shared test material is not here').each([
  ['safe-string', 'allow', 'none'],
  ['safe-object', 'allow', 'none'],
  ['unsafe-string', 'block', 'high'],
  ['unsafe-object', 'block', 'high'],
  ['json-string', 'block', 'high'],
] as const)('%s: %s, %s', async (name, decision, severity) => {
  judge(() => payload(name));
  expect(await moderate('some words')).toMatchObject({
    source: 'audio_transcript',
    model: GUARD,
    decision,
    severity,
    chunksChecked: 1,
  });
});

test.each([
  ['safe', 'none'],
  ['SAFE\n', 'none'],
  ['unsafe\nS6', 'medium'],
  ['unsafe\nS6,S4', 'high'],
  ['unsafe', 'medium'],
  ['{"safe": true}', 'none'],
  ['{"safe": false}', 'medium'],
  ['{"safe": false, "categories": "S3, S11"}', 'high'],
  ['{"safe": false, "categories": ["S12"]}', 'medium'],
])('%j is %s', async (response, severity) => {
  judge(() => ({ response }));
  expect(await moderate('some words')).toMatchObject({ severity });
});

test.each([
  '',
  'I cannot judge that.',
  'safely said',
  'This is not safe',
  'It is unsafe',
  '{"safe": "yes"}',
  '{"safe"',
  'S1',
])('%j is not a verdict, so nothing passes', async (response) => {
  judge(() => ({ response }));
  await expect(moderate('some words')).rejects.toMatchObject({
    failure: { code: 'provider_bad_response', provider: 'edge', model: GUARD },
  });
});

const sentence = 'this is a quiet sentence of nine plain words.';
const long = Array.from({ length: 200 }, (_, at) =>
  at === 120
    ? 'this is a medium one of nine plain words.'
    : at === 160
      ? 'this one is bad.'
      : sentence,
).join(' ');

test('a long transcript is judged in chunks; the worst is reported with its times, and all are counted', async () => {
  judge((text) => ({
    response: text.includes('bad') ? 'unsafe\nS1' : text.includes('medium') ? 'unsafe\nS6' : 'safe',
  }));
  const verdict = await moderate(long);
  expect(verdict).toMatchObject({ decision: 'block', severity: 'high' });
  expect(verdict.chunksChecked).toBe(double.requests.length);
  expect(verdict.chunksChecked).toBeGreaterThan(3);
  const { start = 0, end = 0 } = verdict.flaggedChunk!;
  const bad = spoken(long).find(({ text }) => text === 'bad.')!;
  expect(bad.start).toBeGreaterThan(start);
  expect(bad.end).toBeLessThanOrEqual(end);
  expect(double.peak()).toBeLessThanOrEqual(4);
});

test('a long transcript does not pass if one of its chunks has no verdict', async () => {
  judge((text) => ({ response: text.includes('bad') ? 'no comment' : 'safe' }));
  await expect(moderate(long)).rejects.toMatchObject({
    failure: { code: 'provider_bad_response' },
  });
});

test.each([
  ...['S1', 'S3', 'S4', 'S9', 'S10'].map((category) => [category, 'high'] as const),
  ...['S2', 'S5', 'S6', 'S7', 'S8', 'S11', 'S12', 'S13', 'S14'].map(
    (category) => [category, 'medium'] as const,
  ),
])('the category %s is %s', async (category, severity) => {
  judge(() => ({ response: `unsafe\n${category}` }));
  expect(await moderate('some words')).toMatchObject({ decision: 'block', severity });
});

test('a custom model, over chat completions', async () => {
  double.behave(() => Response.json(completion('unsafe\nS10')));
  const env = { EDGE_MODERATION_URL: double.origin, EDGE_MODERATION_MODEL: 'guard' };
  expect(await moderate('some words', env)).toMatchObject({ model: 'guard', decision: 'block' });
  // Requests that another test has cancelled may still arrive.
  const request = double.requests.find(({ url }) => url.pathname === '/v1/chat/completions');
  expect(JSON.parse(request!.body.toString())).toEqual({
    model: 'guard',
    messages: [{ role: 'user', content: 'some words' }],
    temperature: 0,
  });
});
