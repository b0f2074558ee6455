/** What all remote providers have in common: cancelling, time limits, and answers that no service should give. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
} from '../../support/doubles/provider-keys.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech } from '../support.ts';
import { source } from '../../mp3/support.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();
const HOURS_100 = 360_000;

interface Case {
  name: string;
  env: Record<string, string>;
  /** The service when it recognises these words. */
  wire: (words: readonly TranscriptWord[]) => Wire;
  /** The calls for which the length of the recording counts, out of all calls. */
  limited: boolean[];
}

const CASES: [string, Case][] = [
  [
    'deepgram',
    {
      name: 'deepgram',
      env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: double.origin },
      wire: (words) => deepgramWire(deepgramAnswer(words)),
      limited: [true],
    },
  ],
  [
    'assemblyai',
    {
      name: 'assemblyai',
      env: { ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY, ASSEMBLYAI_BASE_URL: double.origin },
      wire: (words) => assemblyAiWire(assemblyAiAnswer(words), 0),
      limited: [true, false, false],
    },
  ],
  [
    'edge through Workers AI',
    {
      name: 'edge',
      env: {
        CLOUDFLARE_ACCOUNT_ID: 'acc',
        CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
        CLOUDFLARE_BASE_URL: double.origin,
      },
      wire: (words) =>
        workersAiWire({ '@cf/openai/whisper-large-v3-turbo': () => workersAiAnswer(words) }),
      limited: [true],
    },
  ],
  [
    'edge through an OpenAI-compatible server',
    {
      name: 'edge',
      env: { EDGE_SPEECH_URL: double.origin },
      wire: (words) => transcriptionServerWire(() => verboseJson(words)),
      limited: [true],
    },
  ],
];

describe.each(CASES)('%s', (_, { name, env, wire, limited }) => {
  const waiting = noWaiting();
  const provider = registry({ ...env, PROVIDER_TIMEOUT: '60' }, waiting).provider(name)!;
  const request = {
    language: 'en',
    keyterms: [],
    chunkBytes: 1_048_576,
    includeRawResponse: false,
  };
  const contextOf = ({ signal } = new AbortController()) => ({ signal, progress: () => {} });
  const reason = new Error('cancelled');

  test('calls no service if the run is cancelled before it plans', async () => {
    double.behave(wire(TALK));
    const context = contextOf({ signal: AbortSignal.abort(reason) } as AbortController);
    await expect(provider.plan(source(chirp), request, context)).rejects.toBe(reason);
    expect(double.requests).toEqual([]);
  });

  test('ends with the reason if the run is cancelled while the service works', async () => {
    const controller = new AbortController();
    double.behave(wire(TALK));
    const context = contextOf(controller);
    const plan = await provider.plan(source(chirp), request, context);
    double.behave(() => {
      setTimeout(() => controller.abort(reason));
      return { fault: 'hang' };
    });
    const made = provider.transcribe(source(chirp), plan.pieces[0]!, request, context);
    await expect(made).rejects.toBe(reason);
  });

  test('gives calls that carry the recording more time, by its length', async () => {
    waiting.limits.length = 0;
    double.behave(wire(TALK));
    const { pieces, duration } = await provider.plan(source(chirp), request, contextOf());
    await provider.transcribe(source(chirp), pieces[0]!, request, contextOf());
    expect(waiting.limits).toEqual(
      limited.map((isLong) => (isLong ? 60_000 + duration * 250 : 60_000)),
    );
    expect(duration).toBeGreaterThan(1);
  });

  const hear = (...words: TranscriptWord[]) => transcribe(name, { wire: wire(words), env });

  test.each([
    ['a word of 1,001 characters', { text: 'a'.repeat(1001), start: 4, end: 5 }],
    ['a word of 300 KB', { text: 'a!'.repeat(150_000), start: 4, end: 5 }],
    ['a word that ends after 100 hours', { text: 'late', start: 4, end: HOURS_100 + 1 }],
    ['a word behind 100 hours', { text: 'late', start: HOURS_100 + 1, end: HOURS_100 + 2 }],
    ['a word at 1e308', { text: 'never', start: 1e300, end: 1e300 }],
  ])('takes %s for an invalid answer, finally', async (_name, word) => {
    await expect(hear(...TALK, word)).rejects.toMatchObject({
      failure: { code: 'provider_bad_response', retryable: false },
      isFinal: true,
    });
  });

  test('takes the longest word, and one within 100 hours, which the transcript includes', async () => {
    const text = 'a'.repeat(1000);
    const { transcript } = await hear(...TALK, { text, start: HOURS_100 - 2, end: HOURS_100 - 1 });
    expect(transcript.words.at(-1)).toMatchObject({ text, end: HOURS_100 - 1 });
    expect(transcript.duration).toBeGreaterThanOrEqual(HOURS_100 - 1);
  });

  test('repairs an end before its start, and a time before the recording', async () => {
    const odd = await hear(...TALK, { text: 'odd', start: 5, end: 4 });
    expect(odd.transcript.words.at(-1)).toMatchObject({ start: 5, end: 5 });
    const early = await hear({ text: 'early', start: -3, end: -2 }, ...TALK);
    expect(early.transcript.words[0]!.start).toBeWithin(-0.1, 0.001);
  });
});

describe('an answer that no service should give', () => {
  /** AssemblyAI, with another response to one of its calls. */
  const instead = (ends: string, answer: object): Wire => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
    return (seen) => (seen.url.pathname.endsWith(ends) ? Response.json(answer) : wire(seen));
  };
  const always =
    (answer: object): Wire =>
    () =>
      Response.json(answer);

  const strange = { surprise: 'something else' };
  const wordless = { id: 'tr-1', status: 'completed', text: 'one' };
  const failed = { id: 'tr-1', status: 'error', error: null };
  const late = TALK.map((word) => ({ ...word, end: 400_000 }));
  const BAD = 'provider_bad_response';

  test.each<[string, string, Wire, object, string]>([
    ['Deepgram', 'deepgram', always(strange), strange, BAD],
    ['Deepgram with impossible times', 'deepgram', always(deepgramAnswer(late)), {}, BAD],
    ['the upload of AssemblyAI', 'assemblyai', instead('/upload', strange), strange, BAD],
    ['the order of AssemblyAI', 'assemblyai', instead('/transcript', strange), strange, BAD],
    ['a poll of AssemblyAI', 'assemblyai', instead('/tr-1', strange), strange, BAD],
    [
      'a transcript of AssemblyAI without words',
      'assemblyai',
      instead('/tr-1', wordless),
      wordless,
      BAD,
    ],
    [
      'a transcript that AssemblyAI gave up',
      'assemblyai',
      instead('/tr-1', failed),
      failed,
      'provider_unavailable',
    ],
    ['a server of Whisper', 'edge', always(strange), strange, BAD],
  ])('is shown if raw responses are requested: %s', async (_, provider, wire, raw, code) => {
    const made = (includeRawResponse: boolean) =>
      transcribe(provider, {
        wire,
        ...(provider === 'edge' && { env: { EDGE_SPEECH_URL: double.origin } }),
        request: { includeRawResponse },
      });
    await expect(made(true)).rejects.toMatchObject({ failure: { code, provider, debug: { raw } } });
    const { failure } = (await made(false).catch((error: unknown) => error)) as {
      failure: { code: string; debug?: object };
    };
    expect(failure.code).toBe(code);
    expect(failure).not.toHaveProperty('debug.raw');
  });

  test('is one with a length of 1e308 seconds, a speaker of 300 KB, a number out of range or 40,000 levels', async () => {
    const answer = deepgramAnswer(TALK);
    const long = { ...answer, metadata: { ...answer.metadata, duration: 1e308 } };
    const labelled = assemblyAiAnswer(TALK);
    for (const word of labelled.words) word.speaker = 'x'.repeat(300_000);
    const infinite = JSON.stringify(answer).replace('"end":0.8', '"end":1e999');
    const deep = `{"results":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    for (const [provider, wire] of [
      ['deepgram', deepgramWire(long)],
      ['assemblyai', assemblyAiWire(labelled, 0)],
      ['deepgram', () => new Response(infinite)],
      ['deepgram', () => new Response(deep)],
    ] as const) {
      for (const includeRawResponse of [false, true]) {
        await expect(
          transcribe(provider, { wire, request: { includeRawResponse } }),
        ).rejects.toMatchObject({ failure: { code: BAD } });
      }
    }
  });

  test('loses metadata that is too long', async () => {
    const answer = deepgramAnswer(TALK);
    answer.metadata.request_id = 'x'.repeat(300_000);
    const { transcript } = await transcribe('deepgram', { wire: deepgramWire(answer) });
    expect(transcript.metadata).toEqual({
      modelName: 'general-nova-3',
      modelVersion: '2026-01-01.0',
    });
  });
});
