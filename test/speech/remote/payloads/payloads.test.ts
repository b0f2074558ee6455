/** The responses of Whisper servers and Deepgram: words, confidence, silence, loops, language and groups. */
import { describe, expect, test } from 'bun:test';
import { readCompletion } from '../../../../server/remote/chat.ts';
import type { PieceTranscript } from '../../../../server/speech/provider.ts';
import { readAssemblyAi } from '../../../../server/speech/remote/assemblyai.ts';
import { readDeepgram } from '../../../../server/speech/remote/deepgram.ts';
import { readWhisper } from '../../../../server/speech/remote/whisper.ts';
import { deepgramAnswer, TALK } from '../../../support/doubles/speech-doubles.ts';

describe('the response of a Whisper server', () => {
  const go = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ word: 'go', start: at, end: at + 0.5 }));
  const segment = { text: ' go', start: 0, end: 9, words: go(9) };
  test("is read whatever the server's names for text and confidence", () => {
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

  test('without words is silence; text without any time is invalid', () => {
    expect(readWhisper({ text: ' ' })?.words).toEqual([]);
    expect(readWhisper({ text: 'hi' })).toBeNull();
    expect(readWhisper({ text: 'hi', segments: [] })).toBeNull();
    const silent = { ...segment, no_speech_prob: 0.9, avg_logprob: -2 };
    expect(readWhisper({ text: 'hi', segments: [silent] })?.words).toEqual([]);
  });
});

test('the response of Deepgram has its length, request and model', () => {
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

describe('incomplete responses of transcription services', () => {
  const answer = (transcript: string, words: object[]) => ({
    metadata: { duration: 2 },
    results: { channels: [{ alternatives: [{ transcript, words }] }] },
  });

  test('Deepgram: text without word times is not a transcript; silence is one', () => {
    expect(readDeepgram(answer('Hello there.', []))).toBeNull();
    expect(readDeepgram(answer('', []))?.words).toEqual([]);
    expect(readDeepgram(answer(' \n', []))?.words).toEqual([]);
    const hello = { word: 'hello', start: 0.1, end: 0.4, confidence: 0.9 };
    expect(readDeepgram(answer('hello', [hello]))?.words).toHaveLength(1);
  });
});

describe('answers of services with one value damaged at a time', () => {
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
});
