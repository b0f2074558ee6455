/** The cost of single breaks, as a table: the sum of the costs of the words on both sides. */
import { describe, expect, test } from 'bun:test';
import { breaksOf } from '../../server/captions/divide/breaks.ts';
import { languageOf } from '../../server/captions/language.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';
import { speak } from './support.ts';

/** The costs of a new cue and of a new line before one of the words, counted from 0. */
function costsAt(text: string, at: number, language = 'en'): [cue: number, line: number] {
  const breaks = breaksOf(tokensOf(speak(text.split(' '))), languageOf(language));
  return [breaks.cue[at]!, breaks.line[at]!];
}

/** What close neighbours on both sides add: these texts are short. */
const CLOSE = [20 + 20, 19 + 19] as const;
const PLAIN = [20 + CLOSE[0], 12 + CLOSE[1]] as const;
const NUMBER = [24 + PLAIN[0], 15 + PLAIN[1]] as const;
const more = ([cue, line]: readonly [number, number], cost: number): [number, number] => [
  cue + cost,
  line + cost,
];

describe('a break costs', () => {
  test.each<[string, number, readonly [number, number]]>([
    ['water house', 1, PLAIN],
    ['buy 25 people', 2, NUMBER],
    ['buy 25 gardens', 2, NUMBER],
    ['buy 25 km', 2, more(NUMBER, 30)],
    ['buy 25 %', 2, more(NUMBER, 30 + 200)],
    ['water “ house garden', 2, more(PLAIN, 200)],
    // Words inside a short quotation, from the very first word on, but not before one that only ends.
    ['“water house” garden', 1, more(PLAIN, 10)],
    ['water house” garden', 1, PLAIN],
    ['water garden house” boat', 2, PLAIN],
  ])('%s, before word %d', (text, at, costs) => {
    expect(costsAt(text, at)).toEqual([...costs]);
  });
  test('10 more inside a short quotation that does not begin the text', () => {
    const [cue, line] = costsAt('boat house “garden house” boat', 3);
    const [plainCue, plainLine] = costsAt('boat house garden, house boat', 4);
    expect([cue, line]).toEqual([20 + 20 + 17 + 10, 12 + 19 + 6 + 10]);
    expect([plainCue, plainLine]).toEqual([...PLAIN]);
  });
});

describe('a break costs more the closer it is to punctuation', () => {
  /** Words of four letters between a break and punctuation, so many columns long. */
  const words = (columns: number): string => {
    const count = Math.floor((columns + 1) / 5);
    return (
      ['boat', ...Array<string>(count - 1).fill('boat')].join(' ') + 'x'.repeat((columns + 1) % 5)
    );
  };
  const far = 29;
  test.each([
    [13, [20, 19]],
    [14, [17, 6]],
    [19, [17, 6]],
    [20, [0, 0]],
  ])('%d columns after it', (columns, [cue, line]) => {
    const before = words(columns);
    const at = before.split(' ').length + 1;
    expect(costsAt(`So, ${before} ${words(far)}.`, at)).toEqual([20 + cue!, 12 + line!]);
  });
  test.each([
    [13, [20, 19]],
    [14, [7, 5]],
    [19, [7, 5]],
    [20, [0, 0]],
  ])('%d columns before it', (columns, [cue, line]) => {
    const before = words(far);
    const at = before.split(' ').length + 1;
    expect(costsAt(`So, ${before} ${words(columns - 1)}.`, at)).toEqual([20 + cue!, 12 + line!]);
  });
  test('but not at punctuation itself', () => {
    const [cue, line] = costsAt('water; house', 1);
    // The pause after the mark lasts 0.2 s.
    expect(cue).toBeCloseTo(-21 - 80 * (0.2 - 0.12), 6);
    expect(line).toBeCloseTo(6 - 80 * (0.2 - 0.12), 6);
  });
});

test('a break before a word that belongs to the one before costs 80 more than that word does', () => {
  expect(costsAt('만들 수', 1, 'ko')).toEqual([CLOSE[0] + 80, CLOSE[1] + 80]);
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
