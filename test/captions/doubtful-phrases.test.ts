/** Doubtful phrases: unsure words beside each other, as measured recognisers get them wrong. */
import { describe, expect, test } from 'bun:test';
import { doubtfulPhrases } from '../../server/captions/doubtful-phrases.ts';
import { randomly } from '../support/translated-talk.ts';

/** Words of a recogniser that has been measured. */
const measured = (...confidences: number[]) =>
  confidences.map((confidence) => ({ confidence, certainty: 0.8 }));
const phrases = (...confidences: number[]) => [...doubtfulPhrases(measured(...confidences))];

describe('the phrases of a recogniser that was measured', () => {
  test.each([
    [
      'one unsure word among sure ones is mostly right',
      [0.95, 0.97, 0.3, 0.98, 0.96],
      [0, 0, 0, 0, 0],
    ],
    ['unless it is very unsure', [0.95, 0.97, 0.05, 0.98, 0.96], [0, 0, 1, 0, 0]],
    ['among unsure ones it is mostly wrong', [0.95, 0.97, 0.3, 0.4, 0.3], [0, 0, 1, 1, 1]],
    [
      'a phrase goes on with what would not begin one',
      [0.9, 0.9, 0.2, 0.2, 0.6, 0.95],
      [0, 0, 1, 1, 1, 0],
    ],
    ['two phrases', [0.1, 0.2, 0.99, 0.99, 0.99, 0.99, 0.1, 0.2], [1, 1, 0, 0, 0, 0, 2, 2]],
  ])('%s', (_, confidences, expected) => {
    expect(phrases(...confidences)).toEqual(expected);
  });

  test('a corrected word divides them', () => {
    const words = measured(0.1, 0.1, 0.1).map((word, at) =>
      at === 1 ? { ...word, original: ['heard'] } : word,
    );
    expect([...doubtfulPhrases(words)]).toEqual([1, 0, 2]);
  });
});

test('where nothing was measured, a word counts by its own confidence', () => {
  const words = [{ confidence: 0.95 }, { confidence: 0.49 }, { confidence: 0.5 }, {}];
  expect([...doubtfulPhrases(words)]).toEqual([0, 1, 0, 0]);
});

test('whoever asks for surer words is shown at least the same', () => {
  const random = randomly(7);
  const words = measured(...Array.from({ length: 400 }, () => random()));
  let before: number[] = [];
  for (const below of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]) {
    const now = [...doubtfulPhrases(words, below)];
    expect(before.every((phrase, at) => phrase === 0 || now[at]! > 0)).toBe(true);
    before = now;
  }
});
