/** Words of scripts without spaces, and marks, as services return them: one by one, with times of their own. */
import { expect, test } from 'bun:test';
import { tokensOf } from '../../server/captions/divide/tokens.ts';
import { joinWords } from '../../server/captions/width.ts';

/** The tokens of words with these starts, each a tenth of a second long. */
const tokens = (...words: [text: string, start: number][]) =>
  tokensOf(words.map(([text, start]) => ({ text, start, end: start + 0.1 }))).map(
    ({ text, start, end }) => [text, Number(start.toFixed(3)), Number(end.toFixed(3))],
  );

test('a pause of three tenths of a second separates characters of a word', () => {
  expect(tokens(['服', 0], ['务', 0.39])).toEqual([['服务', 0, 0.49]]);
  expect(tokens(['服', 0], ['务', 0.4])).toEqual([
    ['服', 0, 0.1],
    ['务', 0.4, 0.5],
  ]);
});

test('a mark after a Latin word belongs to it and extends its time', () => {
  expect(tokens(['Captioner', 0], ['，', 0.1], ['好', 0.2])).toEqual([
    ['Captioner，', 0, 0.2],
    ['好', 0.2, 0.3],
  ]);
});

test('in Thai, a pause of three tenths of a second between phrases is a space', () => {
  const spaced = (start: number) =>
    tokensOf([
      { text: 'ครับ', start: 0, end: 0.2 },
      { text: 'ผม', start, end: 0.7 },
    ]).at(-1)?.spaced;
  expect([spaced(0.499), spaced(0.5)]).toEqual([false, true]);
});

test.each(['%', '‰'])('%s after a number is spoken, and so keeps its time', (sign) => {
  expect(tokens(['5', 0], [sign, 1])).toEqual([
    ['5', 0, 0.1],
    [sign, 1, 1.1],
  ]);
});

test('a middle dot between the parts of a name has no spaces around it', () => {
  expect(joinWords(['马克', '·', '吐温'])).toBe('马克·吐温');
});
