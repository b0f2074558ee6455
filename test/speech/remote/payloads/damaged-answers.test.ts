/**
 * Responses of services with one value damaged at a time: whether they are still read, and how the transcript changes,
 * in damaged-answers.txt. `OUTLINES=write npm test -- test/speech/remote/payloads` updates it.
 */
import { test } from 'bun:test';
import { readCompletion } from '../../../../server/remote/chat-completions.ts';
import { readAssemblyAi } from '../../../../server/speech/remote/payloads/assemblyai.ts';
import { readDeepgram } from '../../../../server/speech/remote/payloads/deepgram.ts';
import { readWhisper } from '../../../../server/speech/remote/payloads/whisper.ts';
import { expectKeptIn } from '../../../support/kept.ts';

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

/** The values of two transcripts that differ. */
function difference(before: unknown, after: unknown): string {
  if (after === null) return 'refused';
  const flat = (value: unknown): Map<string, string> =>
    new Map(
      [...paths(value)].flatMap((path) => {
        const at = path.reduce<unknown>((inner, name) => (inner as Json)[name], value);
        return typeof at === 'object' && at !== null ? [] : [[path.join('.'), JSON.stringify(at)]];
      }),
    );
  const [old, now] = [flat(before), flat(after)];
  const parts = [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path} ${now.get(path) ?? 'gone'}`);
  return parts.join(', ') || 'the same';
}

test('answers with one damaged value', () => {
  const lines = Object.entries(ANSWERS).flatMap(([name, { read, payload }]) => {
    const whole = read(payload);
    const rows = [...paths(payload)].map((path) => {
      const by = Map.groupBy(DAMAGES, ([, value]) =>
        difference(whole, read(damaged(payload, path, value))),
      );
      const outcomes = [...by].map(
        ([what, all]) => `${all.map(([damage]) => damage).join(' or ')}: ${what}`,
      );
      return `  ${path.join('.')}\n    ${outcomes.join('\n    ')}`;
    });
    return [name, `  whole: ${JSON.stringify(whole)}`, ...rows];
  });
  expectKeptIn(new URL('outlines/', import.meta.url), 'damaged-answers', lines);
});
