/** The speaker of each word, from the turns of the speakers. */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/transcript.ts';
import {
  joinVoices,
  nearestTurn,
  speakersOfWords,
  withSpeakers,
} from '../../../server/speech/host/speakers/voices.ts';

test.each<[string, [number, number], number | undefined]>([
  ['in a turn', [1, 2], 0],
  ['in two turns, more in the second', [4, 7], 1],
  ['in two turns equally: the first', [4, 6], 0],
  ['between two turns, nearer to the second', [12, 13], 2],
  ['before all turns', [-5, -4], 0],
])('the turn nearest to a time %s', (_, [start, end], expected) => {
  const turns = [
    { start: 0, end: 5 },
    { start: 5, end: 10 },
    { start: 14, end: 20 },
  ];
  expect(turns.indexOf(nearestTurn(turns, start, end)!)).toBe(expected!);
  expect(nearestTurn([], start, end)).toBeUndefined();
});

describe('words', () => {
  const word = (start: number, end = start + 0.5): TranscriptWord => ({ text: 'w', start, end });
  const turns = [
    { start: 5, end: 10, speaker: 'a' },
    { start: 20, end: 25, speaker: 'b' },
  ];
  const given = (...words: TranscriptWord[]) =>
    speakersOfWords(words, turns).map(({ speaker }) => speaker ?? '-');

  test('have the speaker of a turn less than two seconds away, or of the word before', () => {
    expect(given(word(6), word(21))).toEqual(['a', 'b']);
    expect(given(word(6), word(11.9), word(12))).toEqual(['a', 'a', 'a']);
    expect(given(word(6), word(17.4), word(17.6))).toEqual(['a', 'a', 'b']);
    expect(given(word(21), word(12), word(11.9))).toEqual(['b', 'b', 'a']);
    // Before the first turn, nobody speaks: the nearest turn counts.
    expect(given(word(0), word(1))).toEqual(['a', 'a']);
    expect(speakersOfWords([word(1)], [])).toEqual([word(1)]);
  });

  test('of each piece have the speakers of the turns near it', () => {
    const turn = (start: number, voice: number) => ({ start, end: start + 10, voice });
    const prints = [
      [1, 0],
      [0, 1],
    ];
    const voices = [{ start: 0, end: 22, prints, turns: [turn(2, 0), turn(12, 1)] }];
    const pieces = [
      { words: [word(0)] },
      { words: [word(3), word(13)], voices },
      { words: [word(23.5)] },
      { words: [] },
    ];
    expect(withSpeakers(pieces).map(({ words }) => words.map(({ speaker }) => speaker))).toEqual([
      ['0'],
      ['0', '1'],
      ['1'],
      [],
    ]);
    const silent = [{ words: [word(1)] }];
    expect(withSpeakers(silent)).toBe(silent);
  });
});

test('longer voices come first: a short one between two others does not join them', () => {
  const degrees = (angle: number) => [
    Math.cos((angle * Math.PI) / 180),
    Math.sin((angle * Math.PI) / 180),
  ];
  // The first voice is similar to both others, and more to the third.
  const turns = [
    { start: 0, end: 3, voice: 0 },
    { start: 3, end: 13, voice: 1 },
    { start: 13, end: 22, voice: 2 },
  ];
  const prints = [60, 0, 110].map(degrees);
  const speakers = joinVoices([{ start: 0, end: 22, turns, prints }]);
  expect(speakers.map(({ speaker }) => speaker)).toEqual(['0', '1', '0']);
});
