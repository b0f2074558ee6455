/** What is ordered of each service, so that nothing is paid for twice, and how whole answers are read. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readAssemblyAi } from '../../../server/speech/remote/payloads/assemblyai.ts';
import { readDeepgram } from '../../../server/speech/remote/payloads/deepgram.ts';
import { readWhisper } from '../../../server/speech/remote/payloads/whisper.ts';
import { groupStarts, isSpeech, told } from '../../../server/speech/remote/payloads/words.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  TALK,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { CLOUDFLARE_TOKEN } from '../../support/doubles/provider-keys.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { registry, remoteSpeech } from '../support.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();
const assemblyAi = () => assemblyAiWire(assemblyAiAnswer(TALK), 0);
const turbo = '@cf/openai/whisper-large-v3-turbo';
const cloudflare = {
  CLOUDFLARE_ACCOUNT_ID: 'acc',
  CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
  CLOUDFLARE_BASE_URL: double.origin,
};

describe('assemblyai', () => {
  test('the plan names who hears, and the transcript that is ordered', async () => {
    const { plan } = await transcribe('assemblyai', { wire: assemblyAi() });
    expect(plan).toMatchObject({
      engine: { provider: 'assemblyai', model: 'universal-3-5-pro', keytermsInjected: true },
      pieces: [{ index: 0, start: 0, end: plan.duration, transcriptId: 'tr-1' }],
    });
    expect(plan.engine).not.toHaveProperty('speakerLabels');
  });

  test('a service that fails is not asked for less, whatever it says', async () => {
    const wire = assemblyAi();
    const error = 'The following models are not available in this language: speaker_labels';
    const made = transcribe('assemblyai', {
      wire: (request) =>
        request.method === 'POST' && request.url.pathname === '/v2/transcript'
          ? Response.json({ error }, { status: 500 })
          : wire(request),
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
    const orders = double.requests.filter(
      ({ method, url }) => method === 'POST' && url.pathname === '/v2/transcript',
    );
    expect(orders).toHaveLength(4);
    for (const { body } of orders) expect(String(body)).toContain('speaker_labels');
  });

  test.each(['upload', 'transcript'])(
    'an answer to %s that says nothing ends the run',
    async (at) => {
      const wire = assemblyAi();
      const made = transcribe('assemblyai', {
        wire: (request) =>
          request.url.pathname === `/v2/${at}` ? Response.json({ ok: true }) : wire(request),
      });
      await expect(made).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
      expect(double.requests.at(-1)!.url.pathname).toBe(`/v2/${at}`);
    },
  );

  test('only the order for this upload counts as made, not the latest one of somebody else', async () => {
    const wire = assemblyAi();
    const transcripts = [
      { id: 'theirs', status: 'completed', audio_url: 'https://cdn.example/other' },
      { id: 'unknown', status: 'queued', audio_url: null },
    ];
    const { plan } = await transcribe('assemblyai', {
      wire: async (request) => {
        if (request.at === 1) return { fault: 'drop' };
        return request.url.search === '?limit=200' ? Response.json({ transcripts }) : wire(request);
      },
    });
    expect(plan.pieces[0]).toMatchObject({ transcriptId: 'tr-1' });
  });

  test('uploading may take longer than a look, by a quarter of the recording', async () => {
    const waiting = noWaiting();
    const { plan } = await transcribe('assemblyai', { wire: assemblyAi(), waiting });
    const [upload, ...others] = waiting.limits;
    expect(upload).toBe(30_000 + plan.duration * 250);
    expect(new Set(others)).toEqual(new Set([30_000]));
  });

  test('an answer has its id, and speech without turns has no utterances', () => {
    const answer = assemblyAiAnswer(TALK);
    expect(readAssemblyAi(answer)?.metadata).toEqual({
      transcriptId: 'tr-1',
      detectedLanguage: 'en',
    });
    expect(readAssemblyAi(answer)?.duration).toBe(3);
    const bare = readAssemblyAi({ ...answer, utterances: null, audio_duration: null });
    expect(bare?.utterances).toBeUndefined();
    expect(bare?.duration).toBeUndefined();
    expect(readAssemblyAi({ ...answer, words: null })).toBeNull();
  });
});

describe('edge', () => {
  test('sends four pieces of a recording at once, and says who hears', async () => {
    const edge = registry(cloudflare).provider('edge')!;
    expect(edge.piecesAtOnce).toBe(4);
    const waiting = noWaiting();
    const { plan } = await transcribe('edge', {
      wire: workersAiWire({ [turbo]: () => workersAiAnswer(TALK) }),
      env: cloudflare,
      waiting,
    });
    expect(plan.engine).toEqual({
      provider: 'edge',
      model: turbo,
      engine: 'workers-ai',
      keytermsInjected: true,
    });
    expect(waiting.limits).toEqual([30_000 + plan.duration * 250]);
    const [request] = double.requests;
    expect(JSON.parse(String(request!.body))).not.toHaveProperty('initial_prompt');
  });

  test('takes as many key terms as its model does', () => {
    const limit = registry(cloudflare).provider('edge')!.keytermLimit!;
    expect(limit('@cf/deepgram/nova-3')).toMatchObject({ terms: 1 });
    expect(limit()).toEqual(limit('@cf/openai/whisper'));
    expect(limit()).not.toHaveProperty('terms', 1);
  });

  test('Deepgram on Workers AI gets the best key term, and punctuates', async () => {
    await transcribe('edge', {
      wire: workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK) }),
      env: cloudflare,
      request: { model: '@cf/deepgram/nova-3', keyterms: ['AuthKit', 'PKCE'], language: 'de' },
    });
    expect(Object.fromEntries(double.requests[0]!.url.searchParams)).toEqual({
      language: 'de',
      smart_format: 'true',
      punctuate: 'true',
      paragraphs: 'true',
      utterances: 'true',
      diarize: 'true',
      keyterm: 'AuthKit',
    });
  });
});

describe('the answer of a Whisper server', () => {
  const go = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ word: 'go', start: at, end: at + 0.5 }));
  const segment = { text: ' go', start: 0, end: 9, words: go(9) };
  const words = (given: object) =>
    readWhisper({ text: 'go', segments: [{ ...segment, ...given }] })?.words.length;

  test('keeps what somebody repeats; only text that compresses better is a loop', () => {
    expect(words({})).toBe(9);
    expect(words({ compression_ratio: 2.4 })).toBe(9);
    expect(words({ compression_ratio: 2.5 })).toBe(3);
  });

  test('keeps speech unless it is both unlikely to be speech and unsure', () => {
    expect(words({ no_speech_prob: 0.9 })).toBe(9);
    expect(words({ avg_logprob: -1.5 })).toBe(9);
    expect(words({ no_speech_prob: 0.6, avg_logprob: -1.5 })).toBe(9);
    expect(words({ no_speech_prob: 0.7, avg_logprob: -1 })).toBe(9);
    expect(words({ no_speech_prob: 0.7, avg_logprob: -1.1 })).toBe(0);
  });

  test('is read with whatever name a server gives to text and confidence', () => {
    const heard = (word: object) =>
      readWhisper({
        text: 'hi',
        segments: [{ ...segment, words: [{ start: 0, end: 1, ...word }] }],
      })?.words[0];
    expect(heard({ word: 'hi', probability: 0.5 })).toMatchObject({ text: 'hi', confidence: 0.5 });
    expect(heard({ text: 'hi', confidence: 0.6 })).toMatchObject({ text: 'hi', confidence: 0.6 });
    expect(heard({ text: 'hi', score: 0.7 })).toMatchObject({ text: 'hi', confidence: 0.7 });
    expect(heard({ text: 'hi' })).toEqual({ text: 'hi', start: 0, end: 1 });
  });

  test('that heard nothing is silence; text without any time is no answer', () => {
    expect(readWhisper({ text: ' ' })?.words).toEqual([]);
    expect(readWhisper({ text: 'hi' })).toBeNull();
    expect(readWhisper({ text: 'hi', segments: [] })).toBeNull();
    const silent = { ...segment, no_speech_prob: 0.9, avg_logprob: -2 };
    expect(readWhisper({ text: 'hi', segments: [silent] })?.words).toEqual([]);
  });

  test('tells the language wherever a server puts it', () => {
    const info = { transcription_info: { language: 'de' } };
    expect(readWhisper({ text: '', ...info })?.metadata).toEqual({ detectedLanguage: 'de' });
    expect(readWhisper({ text: '', language: 'fr', ...info })?.metadata).toEqual({
      detectedLanguage: 'fr',
    });
    expect(readWhisper({ text: '' })?.metadata).toEqual({});
  });
});

describe('the answer of Deepgram', () => {
  test('has its own length, request and model', () => {
    expect(readDeepgram(deepgramAnswer(TALK))).toMatchObject({
      duration: 4,
      utterances: [0, 4],
      paragraphs: [0, 4],
      metadata: {
        requestId: 'req-1',
        modelName: 'general-nova-3',
        modelVersion: '2026-01-01.0',
      },
    });
  });

  test('without punctuation has the plain words, at the place of the piece', () => {
    const answer = deepgramAnswer(TALK.slice(0, 1));
    delete answer.results.channels[0].alternatives[0].words[0].punctuated_word;
    expect(readDeepgram(answer, 100)?.words).toMatchObject([{ text: 'welcome', start: 100.4 }]);
    expect(readDeepgram({ results: { channels: [] } })).toBeNull();
    expect(readDeepgram({ results: { channels: [{ alternatives: [] }] } })?.words).toEqual([]);
  });
});

test('groups of words count only if they cover all words', () => {
  const words = TALK;
  expect(groupStarts([2, 4], words, words)).toEqual([0, 2]);
  expect(groupStarts([2, 3], words, words)).toBeUndefined();
  expect(groupStarts([2, 4], [...words, 1], words)).toBeUndefined();
  expect(groupStarts([], [], [])).toBeUndefined();
});

test('an answer with as many words, as long speakers and as late as can be is speech', () => {
  const word = { text: 'a'.repeat(1000), speaker: 's'.repeat(200), start: 0, end: 360_000 };
  expect(isSpeech({ words: [word], duration: 360_000 })).toBe(true);
  expect(isSpeech({ words: [{ ...word, speaker: 's'.repeat(201) }] })).toBe(false);
  expect(isSpeech({ words: [{ ...word, text: 'a'.repeat(1001) }] })).toBe(false);
  expect(isSpeech({ words: [{ ...word, end: 360_001 }] })).toBe(false);
  expect(isSpeech({ words: [], duration: 360_001 })).toBe(false);
  expect(told({ id: 'x'.repeat(200), long: 'x'.repeat(201), none: null })).toEqual({
    id: 'x'.repeat(200),
  });
});
