/** Answers of services with one value damaged at a time: refused, or read as a transcript that holds together. */
import { expect, test } from 'bun:test';
import { readCompletion } from '../../../../server/remote/chat-completions.ts';
import type { PieceTranscript } from '../../../../server/speech/provider.ts';
import { readAssemblyAi } from '../../../../server/speech/remote/payloads/assemblyai.ts';
import { readDeepgram } from '../../../../server/speech/remote/payloads/deepgram.ts';
import { readWhisper } from '../../../../server/speech/remote/payloads/whisper.ts';

const ANSWERS: Record<string, { read: (payload: unknown) => unknown; payload: object }> = {
  deepgram: {
    read: (payload) => readDeepgram(payload, 10),
    payload: {
      metadata: {
        request_id: 'r1',
        duration: 3.5,
        model_info: { m1: { name: 'nova', version: '3' } },
      },
      results: {
        channels: [
          {
            detected_language: 'en',
            alternatives: [
              {
                transcript: 'Hi. Bye.',
                words: [
                  {
                    word: 'hi',
                    punctuated_word: 'Hi.',
                    start: 1,
                    end: 1.5,
                    confidence: 0.9,
                    speaker: 0,
                  },
                  {
                    word: 'bye',
                    punctuated_word: 'Bye.',
                    start: 2,
                    end: 2.5,
                    confidence: 0.8,
                    speaker: 1,
                  },
                ],
                paragraphs: { paragraphs: [{ num_words: 1 }, { num_words: 1 }] },
              },
            ],
          },
        ],
        utterances: [{ words: ['hi'] }, { words: ['bye'] }],
      },
    },
  },
  assemblyai: {
    read: readAssemblyAi,
    payload: {
      id: 't1',
      text: 'Hi. Bye.',
      words: [
        { text: 'Hi.', start: 1000, end: 1500, confidence: 0.9, speaker: 'A' },
        { text: 'Bye.', start: 2000, end: 2500, confidence: 0.8, speaker: 'B' },
      ],
      utterances: [{ words: [1] }, { words: [2] }],
      audio_duration: 3,
      language_code: 'en',
      speech_model_used: 'universal',
    },
  },
  whisper: {
    read: (payload) => readWhisper(payload, 10),
    payload: {
      text: 'Hi, you. Bye.',
      language: 'en',
      transcription_info: { language: 'de' },
      words: [
        { word: 'Hi', start: 1, end: 1.5, probability: 0.9 },
        { word: 'you', start: 1.5, end: 1.8, confidence: 0.7 },
        { text: 'Bye', start: 2, end: 2.5, score: 0.8 },
      ],
    },
  },
  'whisper, in segments': {
    read: readWhisper,
    payload: {
      text: 'Hi. Bye now.',
      transcription_info: { language: 'de' },
      segments: [
        {
          text: 'Hi.',
          start: 1,
          end: 1.5,
          avg_logprob: -0.2,
          compression_ratio: 1.1,
          no_speech_prob: 0.1,
          words: [{ word: 'Hi.', start: 1, end: 1.5 }],
        },
        { text: 'Bye now.', start: 2, end: 3.4, words: null },
      ],
    },
  },
  'a chat completion': {
    read: readCompletion,
    payload: {
      choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }],
      usage: { total_tokens: 12.4 },
    },
  },
};

const DAMAGES: [name: string, value: unknown][] = [
  ['left out', undefined],
  ['null', null],
  ['text', 'length'],
  ['empty', ''],
  ['-1', -1],
  ['0.7', 0.7],
  ['3', 3],
  ['a list', []],
  ['an object', {}],
];

type Json = Record<string, unknown>;

/** The paths of all values in a value, outermost first. */
function* paths(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* paths(inner, [...path, name]);
}

/** A copy with another value at a path. */
function damaged(payload: object, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(payload) as Json;
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Json, copy);
  if (value === undefined && !Array.isArray(parent)) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return copy;
}

const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

test.each(Object.entries(ANSWERS))('%s with one damaged value', (_, { read, payload }) => {
  expect(read(payload)).not.toBeNull();
  let refused = 0;
  for (const path of paths(payload)) {
    for (const [damage, value] of DAMAGES) {
      const found = read(damaged(payload, path, value)) as Partial<PieceTranscript> | null;
      const what = `${path.join('.')} ${damage}`;
      if (found === null) refused += 1;
      const count = found?.words?.length ?? 0;
      for (const { text, start, end, confidence = 0, speaker = '' } of found?.words ?? []) {
        const fine = [isTime(start), isTime(end), typeof text, typeof speaker, confidence <= 1];
        expect([what, ...fine]).toEqual([what, true, true, 'string', 'string', true]);
      }
      for (const first of [...(found?.utterances ?? []), ...(found?.paragraphs ?? [])]) {
        expect([what, first, first < Math.max(1, count)]).toEqual([what, first, true]);
      }
    }
  }
  expect(refused).toBeGreaterThan(5);
});
