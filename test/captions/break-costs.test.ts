/** The cost of single breaks, as a table: the sum of what the words on both sides of them add. */
import { describe, expect, test } from 'bun:test';
import { breaksOf } from '../../server/captions/breaks.ts';
import { languageOf } from '../../server/captions/language.ts';
import { tokensOf } from '../../server/captions/tokens.ts';
import { speak } from './support.ts';

/** The costs of a new cue and of a new line before one of the words, counted from 0. */
function costsAt(text: string, at: number, language = 'en'): [cue: number, line: number] {
  const breaks = breaksOf(tokensOf(speak(text.split(' '))), languageOf(language));
  return [breaks.cue[at]!, breaks.line[at]!];
}

describe('the cost of a break', () => {
  test.each<[string, number, [number, number]]>([
    ['water house', 1, [36, 47]],
    ['buy 25 people', 2, [44 + 18, 44 + 18]],
    ['buy 25 km', 2, [44 + 18 + 30, 44 + 18 + 30]],
    ['buy 25 %', 2, [44 + 18 + 30 + 200, 44 + 18 + 30 + 200]],
    ['water “ house garden', 2, [36 + 200, 47 + 200]],
    // Words inside a short quotation, from the very first word on, but not before one that only ends.
    ['“water house” garden', 1, [36 + 10, 47 + 10]],
    ['water house” garden', 1, [36, 47]],
    ['water garden house” boat', 2, [36, 47]],
    ['house water “garden house” boat', 3, [36 + 10, 47 + 10]],
  ])('%s, before word %d', (text, at, costs) => {
    expect(costsAt(text, at)).toEqual(costs);
  });
});

test('a break before a word that belongs to the previous one costs 80 more than that word does', () => {
  expect(costsAt('만들 수', 1, 'ko')).toEqual([18 + 80, 29 + 80]);
});

describe('the end of a cue', () => {
  const hard = (pause: number, left?: string, right?: string) => {
    const word = (text: string, start: number, speaker?: string) => ({
      text,
      start,
      end: start + 0.5,
      ...(speaker === undefined ? {} : { speaker }),
    });
    const words = [word('Yes.', 0, left), word('No.', 0.5 + pause, right)];
    return breaksOf(tokensOf(words), languageOf('en')).hard[1];
  };
  test('is at a silence of at least one and a half seconds', () => {
    expect([hard(1.4375), hard(1.5), hard(1.5625)]).toEqual([0, 1, 1]);
  });
  test('is where the speaker changes; two known speakers may share a cue', () => {
    expect([hard(0, 'A', 'A'), hard(0, 'A', 'B')]).toEqual([0, 2]);
    expect([hard(0, 'A'), hard(0, undefined, 'B'), hard(1.5, 'A', 'B')]).toEqual([1, 1, 1]);
  });
});
