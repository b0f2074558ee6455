/**
 * Doubles of the transcription services: each has its documented API, returns the words that a test
 * gives it, and refuses what the service refuses.
 */
import type { TranscriptWord } from '../../../server/contract/results.ts';
import type { Any } from '../servers/client.ts';
import type { Seen, Wire } from './http-double.ts';
import { CLOUDFLARE_TOKEN } from './provider-keys.ts';

export { assemblyAiWire } from './assemblyai-double.ts';
export { deepgramWire } from './deepgram-double.ts';

/** Words of a talk with two speakers, who each have one utterance. */
export const TALK: TranscriptWord[] = [
  { text: 'Welcome', start: 0.4, end: 0.8, confidence: 0.98, speaker: '0' },
  { text: 'to', start: 0.8, end: 0.9, confidence: 0.99, speaker: '0' },
  { text: 'off', start: 1, end: 1.2, confidence: 0.71, speaker: '0' },
  { text: 'kit.', start: 1.2, end: 1.5, confidence: 0.7, speaker: '0' },
  { text: 'Thank', start: 2.9, end: 3.2, confidence: 0.97, speaker: '1' },
  { text: 'you.', start: 3.2, end: 3.5, confidence: 0.99, speaker: '1' },
];

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}'-]+/gu, '');

/** Deepgram's response for words. */
export function deepgramAnswer(words: readonly TranscriptWord[]): Any {
  const raw = words.map(({ text, speaker, ...rest }) => ({
    word: bare(text),
    ...rest,
    ...(speaker === undefined ? {} : { speaker: Number(speaker), speaker_confidence: 0.6 }),
    punctuated_word: text,
  }));
  const turns = turnsOf(raw, (word) => word.speaker);
  const transcript = words.map(({ text }) => text).join(' ');
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: 'req-1',
      sha256: '0',
      created: '2026-01-01T00:00:00.000Z',
      duration: (words.at(-1)?.end ?? 0) + 0.5,
      channels: 1,
      models: ['m1'],
      model_info: { m1: { name: 'general-nova-3', version: '2026-01-01.0', arch: 'nova-3' } },
    },
    results: {
      channels: [
        {
          alternatives: [
            {
              transcript,
              confidence: 0.98,
              words: raw,
              paragraphs: {
                transcript,
                paragraphs: turns.map((turn) => ({ sentences: [], num_words: turn.length })),
              },
            },
          ],
        },
      ],
      utterances: turns.map((turn) => ({ words: turn, transcript: '', channel: 0 })),
    },
  };
}

/** AssemblyAI's response for words: whole milliseconds, speakers by letters. */
export function assemblyAiAnswer(words: readonly TranscriptWord[], id = 'tr-1'): Any {
  const raw = words.map(({ text, start, end, confidence, speaker }) => ({
    text,
    start: Math.round(start * 1000),
    end: Math.round(end * 1000),
    confidence,
    speaker: speaker === undefined ? null : 'ABC'.charAt(Number(speaker)),
  }));
  return {
    id,
    status: 'completed',
    language_code: 'en',
    text: words.map(({ text }) => text).join(' '),
    words: raw,
    utterances: turnsOf(raw, (word) => word.speaker).map((turn) => ({ words: turn })),
    audio_duration: Math.floor(words.at(-1)?.end ?? 0),
    error: null,
  };
}

/** The response of Whisper on Workers AI for words. */
export const workersAiAnswer = (words: readonly TranscriptWord[]): Any => ({
  transcription_info: {
    language: 'en',
    language_probability: 1,
    duration: 9,
    duration_after_vad: 9,
  },
  text: words.map(({ text }) => text).join(' '),
  word_count: words.length,
  segments:
    words.length === 0
      ? []
      : [
          {
            start: words[0]?.start,
            end: words.at(-1)?.end,
            text: words.map(({ text }) => ` ${text}`).join(''),
            temperature: 0,
            avg_logprob: -0.2,
            compression_ratio: 1.4,
            no_speech_prob: 0,
            words: words.map(({ text, start, end }) => ({ word: ` ${text}`, start, end })),
          },
        ],
});

/** An OpenAI-compatible server's response for words: punctuation is only in the text. */
export const verboseJson = (words: readonly TranscriptWord[]): Any => ({
  task: 'transcribe',
  language: 'english',
  duration: 9,
  text: words.map(({ text }) => text).join(' '),
  words: words.map(({ text, start, end }) => ({
    word: text.replace(/[^\p{L}\p{N}'-]+/gu, ''),
    start,
    end,
  })),
});

function turnsOf<W>(words: readonly W[], by: (word: W) => unknown): W[][] {
  const turns: W[][] = [];
  for (const word of words) {
    const last = turns.at(-1);
    const before = last?.at(-1);
    if (last && before && by(before) === by(word)) last.push(word);
    else turns.push([word]);
  }
  return turns;
}

const notFound = () => new Response('{}', { status: 404 });

/** Languages of Deepgram's nova-3 on Workers AI. */
const NOVA_3 = new Set(
  'en en-US en-AU en-GB en-IN en-NZ es es-419 fr fr-CA de de-CH hi ru pt pt-BR pt-PT ja it nl multi'.split(
    ' ',
  ),
);

/**
 * A double of Workers AI with a handler for each model; `result` is wrapped as in REST. Written
 * from developers.cloudflare.com: workers-ai/platform/errors, ai/models/@cf/deepgram/nova-3; read
 * on 2026-11-22.
 */
export const workersAiWire =
  (models: Record<string, (request: Seen) => unknown>): Wire =>
  (request) => {
    const { url, header } = request;
    const refuse = (status: number, code: number, message: string) =>
      Response.json(
        { success: false, errors: [{ code, message }], messages: [], result: null },
        { status },
      );
    if (header('authorization') !== `Bearer ${CLOUDFLARE_TOKEN}`) {
      return refuse(401, 10_000, 'Authentication error');
    }
    const [, model = ''] = /^\/accounts\/acc\/ai\/run\/(.+)$/.exec(url.pathname) ?? [];
    const handler = models[model];
    if (!handler) return refuse(400, 5007, `No such model ${model} or task`);
    if (model.endsWith('/nova-3')) {
      const { searchParams: asked } = url;
      // Its schema has one key term, a string, and no diarize_model.
      const taken = asked.getAll('keyterm').length <= 1 && !asked.has('diarize_model');
      if (!taken || !NOVA_3.has(asked.get('language') ?? 'en-US')) {
        return refuse(400, 5006, 'Error: required properties are not met');
      }
    }
    return Response.json({ result: handler(request), success: true, errors: [], messages: [] });
  };

/** An OpenAI-compatible transcription server. */
export const transcriptionServerWire =
  (hear: (form: FormData) => unknown): Wire =>
  async ({ url, header, body }) => {
    if (url.pathname !== '/v1/audio/transcriptions') return notFound();
    const headers = { 'content-type': header('content-type') ?? '' };
    return Response.json(
      await hear(await new Response(new Uint8Array(body), { headers }).formData()),
    );
  };
