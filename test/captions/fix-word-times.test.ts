import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { fixWordTimes } from '../../server/captions/divide/fix-word-times.ts';

setDefaultTimeout(300_000);

const times = (words: [string, number | undefined, number | undefined][]) =>
  fixWordTimes(
    words.map(([text, start, end]) => ({ text, start: start as number, end: end as number })),
  ).map(({ start, end }) => [Number(start.toFixed(3)), Number(end.toFixed(3))]);

describe('flaws in the responses of providers', () => {
  test('valid times are not changed', () => {
    expect(
      times([
        ['one', 0.1, 0.4],
        ['two', 0.4, 0.7],
      ]),
    ).toEqual([
      [0.1, 0.4],
      [0.4, 0.7],
    ]);
  });

  test('a wrong start among valid ones is set between its neighbours', () => {
    expect(
      times([
        ['one', 1, 1.2],
        ['two', 3600, 3600.2],
        ['three', 2, 2.4],
        ['four', 2.4, 2.8],
      ]),
    ).toEqual([
      [1, 1.2],
      [1.2, 1.44],
      [2, 2.4],
      [2.4, 2.8],
    ]);
  });

  test('words without times follow the previous word in the available time', () => {
    expect(
      times([
        ['one', 1, 1.2],
        ['four', undefined, undefined],
        ['five', Number.NaN, Number.NaN],
        ['six', 1.4, 1.6],
      ]),
    ).toEqual([
      [1, 1.2],
      [1.2, 1.3],
      [1.3, 1.4],
      [1.4, 1.6],
    ]);
  });

  test('if no word has a time, they follow one another from the start', () => {
    expect(
      times([
        ['one', undefined, undefined],
        ['three', undefined, undefined],
      ]),
    ).toEqual([
      [0, 0.24],
      [0.24, 0.64],
    ]);
  });

  test('words with the same start share the time until the next', () => {
    expect(
      times([
        ['ab', 1, 1],
        ['abcd', 1, 1],
        ['ab', 1, 1],
        ['end', 1.4, 1.6],
      ]),
    ).toEqual([
      [1, 1.1],
      [1.1, 1.3],
      [1.3, 1.4],
      [1.4, 1.6],
    ]);
  });

  test('a word of zero or negative length lasts as long as its letters, up to the next', () => {
    expect(
      times([
        ['five', 1, 0.5],
        ['sixteen', 5, 5],
        ['seven', 5.1, 5.4],
      ]),
    ).toEqual([
      [1, 1.32],
      [5, 5.1],
      [5.1, 5.4],
    ]);
  });

  test('a word that overlaps the next ends where that starts', () => {
    expect(
      times([
        ['one', 1, 2],
        ['two', 1.5, 2.5],
      ]),
    ).toEqual([
      [1, 1.5],
      [1.5, 2.5],
    ]);
  });

  test('a word of twenty seconds keeps its beginning or, at the start of a sentence, its end', () => {
    const words: [string, number, number][] = [
      ['It', 0, 20],
      ['ended.', 20, 20.5],
      ['Now', 20.5, 41],
    ];
    expect(times(words)).toEqual([
      [0, 3],
      [20, 20.5],
      [38, 41],
    ]);
    // Words of fifty letters last at most twice the four seconds that it takes to speak them.
    const lasting = (seconds: number) => times([['x'.repeat(50), 0, seconds]]);
    expect([7, 9].flatMap(lasting).flat()).toEqual([0, 7, 0, 8]);
  });

  test('negative times become zero', () => {
    expect(times([['one', -0.04, 0.3]])).toEqual([[0, 0.3]]);
  });

  test('invisible words are dropped, and half characters repaired', () => {
    const words = ['', ' ', '\u200b', '\u0000', '\ufffe', '\uffff', 'a\ud800b', '--> c'].map(
      (text, at) => ({
        text,
        start: at,
        end: at + 0.5,
      }),
    );
    expect(fixWordTimes(words).map(({ text }) => text)).toEqual(['a\ufffdb', '→ c']);
  });

  test('a time beyond the largest possible one counts as missing', () => {
    expect(
      times([
        ['one', 1, 1.2],
        ['late', 360_000, 360_001],
        ['later', 1e308, 1e308],
      ]),
    ).toEqual([
      [1, 1.2],
      [1.2, 1.52],
      [1.52, 1.92],
    ]);
  });

  test('an end beyond the largest possible time is ignored: the word lasts as long as its letters', () => {
    expect(
      times([
        ['one', 1, 1e308],
        ['two', 5, 5.3],
      ]),
    ).toEqual([
      [1, 1.24],
      [5, 5.3],
    ]);
    const pile = [400_000, 1.2].map((end): [string, number, number] => ['four', 1, end]);
    expect(times(pile).flat()).toEqual([1, 1.32, 1.32, 1.64]);
  });

  test('a pile of words with distant ends shares at most twice the time of its letters', () => {
    expect(
      times([
        ['ab', 1, 9],
        ['abcd', 1, 9],
        ['end', 20, 21],
      ]),
    ).toEqual([
      [1, 1.32],
      [1.32, 1.96],
      [20, 21],
    ]);
  });
});

describe('for any words', () => {
  const time = fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: 0, max: 100, noNaN: true }) },
    fc.constantFrom(
      Number.NaN,
      -3,
      0,
      5,
      5,
      1e300,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      undefined as unknown as number,
      null as unknown as number,
    ),
  );
  const words = fc.array(fc.record({ text: fc.string({ maxLength: 8 }), start: time, end: time }), {
    maxLength: 80,
  });
  test('starts increase, ends follow starts, and no words overlap', () => {
    fc.assert(
      fc.property(words, (list) => {
        let last = 0;
        for (const { start, end } of fixWordTimes(list)) {
          expect(start).toBeGreaterThanOrEqual(last - 1e-9);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end - start).toBeLessThanOrEqual(3 + 1e-9);
          last = end;
        }
      }),
      { numRuns: 500 },
    );
  });

  test('words in order keep their starts', () => {
    const rising = fc
      .array(fc.tuple(fc.stringMatching(/^[a-z]{1,9}$/), fc.integer({ min: 2, max: 900 })))
      .map((parts) => {
        let at = 0;
        return parts.map(([text, length]) => {
          const start = at / 1000;
          at += length;
          return { text, start, end: at / 1000 };
        });
      });
    fc.assert(
      fc.property(rising, (list) => {
        expect(fixWordTimes(list)).toEqual(list.map((word) => ({ ...word, speaker: undefined })));
      }),
    );
  });
});

test('words without a time before the first one end where it begins', () => {
  const words = [
    { text: 'Good', start: Number.NaN, end: Number.NaN },
    { text: 'evening', start: 5, end: 5.4 },
  ];
  const [good] = fixWordTimes(words);
  expect(good?.start).toBeCloseTo(4.68, 9);
  expect(good?.end).toBeCloseTo(5, 9);
  const [early] = fixWordTimes(words.map((word) => ({ ...word, start: word.start - 4.9 })));
  expect([early?.start, early?.end]).toEqual([0, 5 - 4.9]);
});
