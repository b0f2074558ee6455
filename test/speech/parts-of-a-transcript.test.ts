/** Utterances and paragraphs: their starts and texts. Words at a seam: which of two is kept. */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { joinStretches, buildTranscript } from '../../server/speech/seams.ts';

type TranscriptFacts = Parameters<typeof buildTranscript>[1];

const word = (text: string, start: number, end: number, speaker?: string): TranscriptWord => ({
  text,
  start,
  end,
  ...(speaker === undefined ? {} : { speaker }),
});
const built = (words: TranscriptWord[], facts: Partial<TranscriptFacts> = {}) =>
  buildTranscript(words, { language: 'en', duration: 9, ...facts });
const begins = (words: TranscriptWord[], facts: Partial<TranscriptFacts> = {}) => {
  const { utterances, paragraphs } = built(words, facts);
  return [utterances, paragraphs].map((spans) => spans.map(({ firstWord }) => firstWord));
};

describe('the words of a transcript', () => {
  test('are divided where the speaker changes', () => {
    const words = [word('one', 0, 1, 'A'), word('two', 1, 2, 'A'), word('three', 2, 3, 'B')];
    expect(begins(words)).toEqual([
      [0, 2],
      [0, 2],
    ]);
    expect(built(words).utterances).toEqual([
      { text: 'one two', start: 0, end: 2, firstWord: 0, lastWord: 1, speaker: 'A' },
      { text: 'three', start: 2, end: 3, firstWord: 2, lastWord: 2, speaker: 'B' },
    ]);
  });

  test('are divided as the service divides them, if it does', () => {
    const words = [word('one', 0, 1), word('two', 1, 2), word('three', 5, 6)];
    expect(begins(words, { utterances: [0, 1], paragraphs: [0, 1] })).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(begins(words, { utterances: [], paragraphs: [] })).toEqual([
      [0, 2],
      [0, 2],
    ]);
  });

  test('form a paragraph after five sentences, counted again after a pause', () => {
    const sentences = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => word('Go.', from + at, from + at + 1));
    expect(begins([...sentences(3, 0), ...sentences(6, 10)])[1]).toEqual([0, 3, 8]);
  });
});

describe('where two stretches overlap', () => {
  const joined = (left: TranscriptWord[], right: TranscriptWord[]) =>
    joinStretches([
      { start: 0, end: 12, words: left },
      { start: 10, end: 20, words: right },
    ]).map(({ text, start }) => `${text} ${start}`);

  test('contain a differently recognised word once; a touching word stays', () => {
    const first = [word('won', 10.6, 10.99)];
    expect(joined(first, [word('one', 10.7, 11.5)])).toEqual(['won 10.6']);
    expect(joined(first, [word('two', 10.9, 11.6)])).toEqual(['won 10.6', 'two 10.9']);
  });
});
