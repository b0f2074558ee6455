/**
 * The transcription services as doubles: each speaks its wire, to the documented shape, about words
 * that a test gives it, or replays a payload.
 */
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import type { Any } from './client.ts';
import type { Seen, Wire } from './http-double.ts';

/** Words of a talk with two speakers and an utterance each. */
export const TALK: TranscriptWord[] = [
  { text: 'Welcome', start: 0.4, end: 0.8, confidence: 0.98, speaker: '0' },
  { text: 'to', start: 0.8, end: 0.9, confidence: 0.99, speaker: '0' },
  { text: 'off', start: 1, end: 1.2, confidence: 0.71, speaker: '0' },
  { text: 'kit.', start: 1.2, end: 1.5, confidence: 0.7, speaker: '0' },
  { text: 'Thank', start: 2.9, end: 3.2, confidence: 0.97, speaker: '1' },
  { text: 'you.', start: 3.2, end: 3.5, confidence: 0.99, speaker: '1' },
];

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}'-]+/gu, '');

/** What Deepgram answers for words. */
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

/** What AssemblyAI answers for words: whole milliseconds, speakers by letters. */
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

/** What Whisper on Workers AI answers for words. */
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

/** What an OpenAI-compatible server answers for words: no punctuation but in the text. */
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

/** Deepgram. */
export const deepgramWire =
  (payload: unknown): Wire =>
  ({ method, url }) =>
    method === 'POST' && url.pathname === '/v1/listen' ? Response.json(payload) : notFound();

/** AssemblyAI; a transcript is under way for the first `looks` looks at it. */
export function assemblyAiWire(payload: Any, looks = 1): Wire {
  const seen = new Map<string, number>();
  return ({ method, url }) => {
    const path = `${method} ${url.pathname}`;
    if (path === 'POST /v2/upload') {
      return Response.json({ upload_url: 'https://cdn.assemblyai.example/upload/1' });
    }
    if (path === 'POST /v2/transcript') {
      return Response.json({ ...payload, status: 'queued', text: null, words: null });
    }
    if (path !== `GET /v2/transcript/${payload.id}`) return notFound();
    const looked = seen.get(payload.id) ?? 0;
    seen.set(payload.id, looked + 1);
    return looked < looks
      ? Response.json({ id: payload.id, status: 'processing', text: null, words: null })
      : Response.json(payload);
  };
}

/** Workers AI, each model by a handler of its own; `result` is wrapped as REST does it. */
export const workersAiWire =
  (models: Record<string, (request: Seen) => unknown>): Wire =>
  (request) => {
    const [, model = ''] = /^\/accounts\/acc\/ai\/run\/(.+)$/.exec(request.url.pathname) ?? [];
    const handler = models[model];
    if (!handler) {
      const errors = [{ code: 5007, message: 'No such model' }];
      return Response.json({ success: false, errors, result: null }, { status: 400 });
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
