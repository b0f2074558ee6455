/** Stretches joined at their seams, and the words, sentences and paragraphs of a transcript. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TranscriptWord } from '../../server/contract/results.ts';
import {
  buildTranscript,
  createFinalWords,
  joinStretches,
  type TranscribedStretch,
} from '../../server/speech/seams.ts';

type RecognizedWindow = Parameters<ReturnType<typeof createFinalWords>>[1];

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
function hear(
  words: TranscriptWord[],
  start: number,
  end: number,
  jitter: () => number,
): TranscribedStretch {
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
  ['the first lost its end', 'a 9-9.3', 'b 10.3-10.6, c 11.5-11.8', 'a9 b10.3 c11.5'],
  ['the second lost its start', 'a 10.2-10.5, b 11.2-11.5', 'c 12.5-12.8', 'a10.2 b11.2 c12.5'],
  ['a word at the very start may be a half', 'a 9-9.3', 'x 10.05-10.35, c 11.5-11.8', 'a9 c11.5'],
  ['so may one at the end', 'a 10.2-10.5, x 11.68-11.98', 'c 12.5-12.8', 'a10.2 c12.5'],
  ['no time is transcribed twice', 'a 10.4-10.7', 'b 10.5-10.8, c 11.5-11.8', 'a10.4 c11.5'],
  ['a word may be missing in the second', 'c 10.4-10.7, c 11.2-11.5', 'c 10.5-10.8', 'c10.4'],
  ['a word may be missing in the first', 'c 11.3-11.5', 'c 11.3-11.6, c 11.4-11.6', 'c11.3 c11.4'],
  [
    'a word that the second begins with may be cut, and is no seam',
    'c 10.3-10.6, a 10.4-10.7',
    'c 10.1-10.3',
    'c10.3 a10.4',
  ],
  ['a differently recognised word is contained once', 'won 10.6-10.99', 'one 10.7-11.5', 'won10.6'],
  [
    'marks and capitals make no other word',
    'a 10.2-10.5, open 10.9-11.2',
    '“Open,” 10.9-11.2, c 11.5-11.8',
    'a10.2 open10.9 c11.5',
  ],
  ['nothing in the first', 'a 9-9.3', 'b 10.6-10.9, c 11.2-11.5', 'a9 b10.6 c11.2'],
  ['nothing in the second', 'a 10.2-10.5, b 11.2-11.5', 'c 13-13.3', 'a10.2 b11.2 c13'],
  [
    'the second 0.3 s earlier',
    'a 10.4-10.7, b 11-11.3, c 11.4-11.7',
    'b 10.7-11, c 11.1-11.4, d 12-12.3',
    'a10.4 b11 c11.1 d12',
  ],
  [
    'the second 0.45 s later, too late for the same word',
    'a 10.4-10.7, b 11-11.3',
    'b 11.45-11.75, d 12-12.3',
    'a10.4 b11 b11.45 d12',
  ],
  ['a touching word stays', 'won 10.6-10.99', 'two 10.9-11.6', 'won10.6 two10.9'],
])('%s', (_, first, second, expected) => {
  const joined = joinStretches([
    { start: 0, end: 12, words: wordsOf(first) },
    { start: 10, end: 20, words: wordsOf(second) },
  ]);
  expect(joined.map(({ text, start }) => `${text}${start}`).join(' ')).toBe(expected);
});

/** Windows of 10 s that overlap by 2 s, each with the words spoken in it, one per second. */
const windows: RecognizedWindow[] = Array.from({ length: 6 }, (_, at) => {
  const start = at * 8;
  const words = Array.from({ length: 10 }, (_, second) => ({
    text: `w${start + second}`,
    start: start + second,
    end: start + second + 0.6,
  }));
  return { start, end: start + 10, words, until: at === 5 ? Number.POSITIVE_INFINITY : start + 8 };
});

test('whatever the order in which windows end, the words equal those of the joined windows, in order', () => {
  const expected = joinStretches(windows).map(({ text }) => text);
  expect(expected).toEqual(Array.from({ length: 50 }, (_, at) => `w${at}`));
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), (order) => {
      const reported: string[] = [];
      const addWindow = createFinalWords((words) =>
        reported.push(...words.map(({ text }) => text)),
      );
      for (const number of order) addWindow(number, windows[number]!);
      expect(reported).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test('words are reported as soon as no later window can change them, and not before', () => {
  const reported: string[] = [];
  const addWindow = createFinalWords((words) => reported.push(...words.map(({ text }) => text)));
  addWindow(0, windows[0]!);
  expect(reported.at(-1)).toBe('w7');
  addWindow(1, windows[1]!);
  expect(reported.slice(-3)).toEqual(['w13', 'w14', 'w15']);
});

test('a word belongs to the side of the border on which its middle is', () => {
  const reported: string[] = [];
  const addWindow = createFinalWords((words) => reported.push(...words.map(({ text }) => text)));
  const words = [
    { text: 'before', start: 9.1, end: 10.8 },
    { text: 'after', start: 9.9, end: 10.2 },
  ];
  addWindow(0, { start: 0, end: 12, words, until: 10 });
  expect(reported).toEqual(['before']);
});

describe('utterances and paragraphs', () => {
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

  test('the words of a transcript are divided where the speaker changes', () => {
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

  test('the words of a transcript are divided as the service divides them, if it does', () => {
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

  test('the words of a transcript form a paragraph after five sentences, counted again after a pause', () => {
    const sentences = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => word('Go.', from + at, from + at + 1));
    expect(begins([...sentences(3, 0), ...sentences(6, 10)])[1]).toEqual([0, 3, 8]);
  });
});
