/** Recordings that are sent as a whole: their length, and responses without words. */
import { expect, test } from 'bun:test';
import { readAssemblyAi } from '../../../server/speech/remote/payloads/assemblyai.ts';
import { mergeWhole } from '../../../server/speech/remote/whole-file.ts';
import type { PieceTranscript, TranscriptionPlan } from '../../../server/speech/provider.ts';

const plan = { duration: 5, pieces: [] } as unknown as TranscriptionPlan;
const word = { text: 'one', start: 6, end: 6.5 };

test.each<[string, PieceTranscript | undefined, number]>([
  ['nothing heard', undefined, 5],
  ['no length', { words: [] }, 5],
  ['a length', { words: [], duration: 4 }, 4],
  ['a word after the length', { words: [word], duration: 4 }, 6.5],
  ['a word before the end', { words: [{ ...word, start: 1, end: 2 }] }, 5],
])('a transcript with %s', async (_, heard, duration) => {
  const pieces = heard ? [heard] : [];
  const request = { language: 'en' } as never;
  const transcript = await mergeWhole(plan, pieces, request);
  expect(transcript.duration).toBe(duration);
});

test('a transcript has the language of the request and the groups of the provider', () => {
  const words = ['one', 'two', 'three'].map((text, at) => ({ text, start: at, end: at + 0.5 }));
  const heard = { words, utterances: [0, 1], paragraphs: [0, 2], metadata: { model: 'm' } };
  const transcript = mergeWhole(plan, [heard], { language: 'de' } as never);
  expect(transcript).toMatchObject({ language: 'de', metadata: { model: 'm' }, duration: 5 });
  const starts = (spans: readonly { firstWord: number }[]) => spans.map((span) => span.firstWord);
  expect(starts(transcript.utterances)).toEqual([0, 1]);
  expect(starts(transcript.paragraphs)).toEqual([0, 2]);
});

test('AssemblyAI: text without its words is invalid', () => {
  const answer = { id: 'tr_1', status: 'completed', words: [] };
  expect(readAssemblyAi({ ...answer, text: 'one two' })).toBeNull();
  expect(readAssemblyAi({ ...answer, text: 'one two', words: null })).toBeNull();
  for (const text of ['', ' ', null]) {
    expect(readAssemblyAi({ ...answer, text })?.words).toEqual([]);
  }
});
