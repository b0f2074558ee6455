import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { joinStretches, type Stretch } from '../../server/speech/seams.ts';

const vocabulary = 'the a of server agent and now protocol it there key mail code works well'.split(
  ' ',
);

/** Consecutive words, as they were really spoken. */
const spoken = fc
  .array(
    fc.tuple(
      fc.constantFrom(...vocabulary),
      fc.integer({ min: 120, max: 600 }),
      fc.integer({ min: 0, max: 250 }),
    ),
    { minLength: 40, maxLength: 160 },
  )
  .map((parts) => {
    let at = 500;
    return parts.map(([text, length, pause]): TranscriptWord => {
      const start = at / 1000;
      at += length;
      const word = { text, start, end: at / 1000 };
      at += pause;
      return word;
    });
  });

/**
 * The words recognised in a stretch: times slightly off, and words cut at its ends wrong or
 * missing.
 */
function hear(words: TranscriptWord[], start: number, end: number, jitter: () => number): Stretch {
  const heard = words.flatMap((word) => {
    if (word.end <= start || word.start >= end) return [];
    const cut = word.start < start || word.end > end;
    const share = (Math.min(end, word.end) - Math.max(start, word.start)) / (word.end - word.start);
    if (cut && share < 0.5) return [];
    const off = jitter();
    return [
      {
        text: cut ? `${word.text.slice(0, 1)}xx` : word.text,
        start: Math.max(start, word.start + off),
        end: Math.min(end, word.end + off),
      },
    ];
  });
  return { start, end, words: heard };
}

test('no word is lost, doubled or cut at a seam', () => {
  fc.assert(
    fc.property(
      spoken,
      fc.array(fc.double({ min: 0.15, max: 0.85, noNaN: true }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.double({ min: -0.1, max: 0.1, noNaN: true })),
      (words, parts, noise) => {
        const length = (words.at(-1)?.end ?? 0) + 0.5;
        const cuts = parts
          .toSorted((a, b) => a - b)
          .map((part) => part * length)
          .filter((cut, at, all) => cut > 3 && cut < length - 3 && cut - (all[at - 1] ?? 0) > 5);
        const jitter = () => Number(noise.next().value);
        const stretches = [0, ...cuts.map((cut) => cut - 1)].map((start, at) =>
          hear(words, start, at < cuts.length ? (cuts[at] ?? 0) + 1 : length, jitter),
        );
        const text = joinStretches(stretches).map((word) => word.text);
        expect(text).toEqual(words.map((word) => word.text));
      },
    ),
    { numRuns: 300 },
  );
});

test('if one stretch ends early, the other is used', () => {
  const word = (text: string, start: number) => ({ text, start, end: start + 0.3 });
  const join = (left: TranscriptWord[], right: TranscriptWord[]) =>
    joinStretches([
      { start: 0, end: 12, words: left },
      { start: 10, end: 20, words: right },
    ]).map(({ text }) => text);
  // The first lost its end, the second recognised it.
  expect(join([word('one', 9)], [word('two', 10.3), word('three', 11.5)])).toEqual([
    'one',
    'two',
    'three',
  ]);
  // The second missed its beginning, the first recognised it.
  expect(join([word('one', 10.2), word('two', 11.2)], [word('three', 12.5)])).toEqual([
    'one',
    'two',
    'three',
  ]);
  // A word at the very edge may be half of one.
  expect(join([word('one', 9)], [word('xx', 10.05), word('three', 11.5)])).toEqual([
    'one',
    'three',
  ]);
  expect(join([word('one', 10.2), word('xx', 11.68)], [word('three', 12.5)])).toEqual([
    'one',
    'three',
  ]);
  // The same time is not transcribed twice.
  expect(join([word('one', 10.4)], [word('won', 10.5), word('three', 11.5)])).toEqual([
    'one',
    'three',
  ]);
});

/** Words that are written as `text start-end`. */
const wordsOf = (list: string): TranscriptWord[] =>
  list.split(', ').map((entry) => {
    const [text = '', start, end] = entry.split(/[ -]/);
    return { text, start: Number(start), end: Number(end) };
  });

test.each([
  [
    'of common words, those at the same time are the seam',
    'c 10.2-10.5, b 10.5-10.7, b 10.8-11',
    'b 10.5-10.6, b 10.7-10.8, a 11.1-11.4',
    'c10.2 b10.5 b10.7 a11.1',
  ],
  ['a word may be missing in the second', 'c 10.4-10.7, c 11.2-11.5', 'c 10.5-10.8', 'c10.4'],
  ['a word may be missing in the first', 'c 11.3-11.5', 'c 11.3-11.6, c 11.4-11.6', 'c11.3 c11.4'],
  [
    'a word that the second begins with may be cut, and is no seam',
    'c 10.3-10.6, a 10.4-10.7',
    'c 10.1-10.3',
    'c10.3 a10.4',
  ],
])('%s', (_, first, second, expected) => {
  const joined = joinStretches([
    { start: 0, end: 12, words: wordsOf(first) },
    { start: 10, end: 20, words: wordsOf(second) },
  ]);
  expect(joined.map(({ text, start }) => `${text}${start}`).join(' ')).toBe(expected);
});
