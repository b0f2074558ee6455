/** Words of a recogniser, and those that nobody can have said. */
import { describe, expect, test } from 'bun:test';
import { dropLoops, dropOutsideSpeech, wordsOfTokens } from '../../../server/speech/host/words.ts';

const words = (text: string, each = 0.4) =>
  text.split(' ').map((word, at) => ({ text: word, start: at * each, end: at * each + each }));
const text = (list: { text: string }[]) => list.map((word) => word.text).join(' ');

test('words of pieces a word does not extend through a silence, or past the end of its window', () => {
  const made = wordsOfTokens(
    { tokens: ['▁a', '▁b'], timestamps: [0.1, 4.9] },
    { start: 0, end: 5 },
  );
  expect(made.map((word) => word.end)).toEqual([0.35, 5]);
  // Nor through a pause between its parts.
  const [apart] = wordsOfTokens(
    { tokens: ['▁a', 'b'], timestamps: [0.1, 4] },
    { start: 0, end: 5 },
  );
  expect(apart).toEqual({ text: 'ab', start: 0.1, end: 2.1 });
});

test('a loop is cut to three repetitions', () => {
  expect(text(dropLoops(words('we go on and on and on and on and on and on')))).toBe(
    'we go on and on and on and on',
  );
  expect(text(dropLoops(words('no no no I said')))).toBe('no no no I said');
  expect(text(dropLoops(words('so so so so so so then')))).toBe('so so so then');
  const phrase = (times: number) => Array.from({ length: times }, () => 'no no no yes').join(' ');
  expect(text(dropLoops(words(phrase(5))))).toBe(phrase(3));
});
test('words in silence are dropped', () => {
  const heard = [{ start: 0, end: 1 }];
  expect(text(dropOutsideSpeech(words('a b c d e f g', 0.5), heard))).toBe('a b c');
  expect(dropOutsideSpeech(words('a b'), [])).toEqual([]);
});

describe('the confidence of a word of several pieces', () => {
  const window = { start: 0, end: 3 };
  const half = Math.log(0.5);
  test('is the geometric mean of the pieces with sound', () => {
    const made = wordsOfTokens(
      {
        tokens: ['▁Auth', 'Kit', '.', '▁is', '<unk>', '▁-'],
        timestamps: [0.2, 0.4, 0.5, 0.8, 0.9, 1],
        logProbabilities: [half, Math.log(0.32), -9, 0.0001, -20, half],
      },
      window,
    );
    expect(made.map(({ text: word, confidence }) => [word, confidence])).toEqual([
      ['AuthKit.', 0.4],
      ['is', 1],
      ['-', undefined],
    ]);
  });
});
