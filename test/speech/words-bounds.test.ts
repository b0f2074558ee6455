/** Words outside the recording are an invalid response, whichever service returns them. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { Wire } from '../support/doubles/http-double.ts';
import { CLOUDFLARE_TOKEN } from '../support/doubles/provider-keys.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
  workersAiAnswer,
  workersAiWire,
} from '../support/doubles/speech-doubles.ts';
import { remoteSpeech } from './support.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();
const HOURS_100 = 360_000;

/** Each service, recognising these words. */
const services: Record<string, (words: TranscriptWord[]) => Wire> = {
  deepgram: (words) => deepgramWire(deepgramAnswer(words)),
  assemblyai: (words) => assemblyAiWire(assemblyAiAnswer(words), 0),
  edge: (words) =>
    workersAiWire({ '@cf/openai/whisper-large-v3-turbo': () => workersAiAnswer(words) }),
};

describe.each(Object.keys(services))('%s', (provider) => {
  const hear = (...words: TranscriptWord[]) =>
    transcribe(provider, {
      wire: services[provider]!([...TALK, ...words]),
      env: {
        CLOUDFLARE_ACCOUNT_ID: 'acc',
        CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
        CLOUDFLARE_BASE_URL: double.origin,
      },
    });

  test.each([
    ['a word of 1,001 characters', { text: 'a'.repeat(1001), start: 4, end: 5 }],
    ['a word of 300 KB', { text: 'a!'.repeat(150_000), start: 4, end: 5 }],
    ['a word that ends after 100 hours', { text: 'late', start: 4, end: HOURS_100 + 1 }],
    ['a word behind 100 hours', { text: 'late', start: HOURS_100 + 1, end: HOURS_100 + 2 }],
    ['a word at 1e308', { text: 'never', start: 1e300, end: 1e300 }],
  ])('%s is provider_bad_response, finally', async (_name, word) => {
    await expect(hear(word)).rejects.toMatchObject({
      failure: { code: 'provider_bad_response', retryable: false },
      isFinal: true,
    });
  });

  test('the longest word, and one within 100 hours, are accepted', async () => {
    const text = 'a'.repeat(1000);
    const { transcript } = await hear({ text, start: HOURS_100 - 2, end: HOURS_100 - 1 });
    expect(transcript.words.at(-1)).toMatchObject({ text, end: HOURS_100 - 1 });
  });

  test('a time before the recording, and an end before its start, are repaired', async () => {
    const { transcript } = await hear({ text: 'odd', start: 5, end: 4 });
    expect(transcript.words.at(-1)).toMatchObject({ start: 5, end: 5 });
    const early = { text: 'early', start: -3, end: -2 };
    const { transcript: other } = await transcribe('deepgram', {
      wire: services['deepgram']!([early, ...TALK]),
    });
    expect(other.words[0]).toMatchObject({ start: 0, end: 0 });
  });
});

test('a length of 1e308 seconds, a speaker of 300 KB and a number out of range are invalid responses', async () => {
  const answer = deepgramAnswer(TALK);
  const long = { ...answer, metadata: { ...answer.metadata, duration: 1e308 } };
  const spoken = TALK.map((word) => ({ ...word, speaker: 'x'.repeat(300_000) }));
  const labelled = { ...assemblyAiAnswer(TALK), words: assemblyAiAnswer(spoken).words };
  for (const word of labelled.words) word.speaker = 'x'.repeat(300_000);
  const infinite = JSON.stringify(answer).replace('"end":0.8', '"end":1e999');
  for (const [provider, wire] of [
    ['deepgram', deepgramWire(long)],
    ['assemblyai', assemblyAiWire(labelled, 0)],
    ['deepgram', () => new Response(infinite)],
  ] as const) {
    await expect(transcribe(provider, { wire })).rejects.toMatchObject({
      failure: { code: 'provider_bad_response' },
    });
  }
});

test('a response nested 40,000 deep is invalid, shown or not', async () => {
  const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
  for (const includeRawResponse of [false, true]) {
    const made = transcribe('deepgram', {
      wire: () => new Response(`{"results":${deep}}`),
      request: { includeRawResponse },
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  }
});

test('metadata from a service is kept short', async () => {
  const answer = deepgramAnswer(TALK);
  answer.metadata.request_id = 'x'.repeat(300_000);
  const { transcript } = await transcribe('deepgram', { wire: deepgramWire(answer) });
  expect(transcript.metadata).toEqual({
    modelName: 'general-nova-3',
    modelVersion: '2026-01-01.0',
  });
});
