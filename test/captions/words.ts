/** Generators of words and settings for property tests. */
import fc from 'fast-check';
import type { CaptionSettings } from '../../server/contract/captions.ts';
import type { CaptionWord } from '../../server/captions/divide/fix-word-times.ts';

/** Any settings that a payload may contain. */
export const settingsArbitrary: fc.Arbitrary<CaptionSettings> = fc.record({
  maxLineChars: fc.integer({ min: 24, max: 60 }),
  maxLines: fc.integer({ min: 1, max: 3 }),
  maxDuration: fc.double({ min: 2, max: 10, noNaN: true }),
  minDuration: fc.double({ min: 0.2, max: 2, noNaN: true }),
});

const textArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...'the a of server Protocol, and now. it U.S. 3.5 million'.split(' '),
    ),
  },
  { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '字',
      '幕',
      'です。',
      '👩‍👩‍👧',
      'مرحبا',
      'https://example.com/a/very/long/address/indeed',
      '-->',
      'ก็ดี',
    ),
  },
);

/** Words as a correct provider returns them. */
export const soundWords = fc
  .array(
    fc.tuple(
      textArbitrary,
      fc.integer({ min: 20, max: 900 }),
      fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 300 }) },
        { weight: 1, arbitrary: fc.integer({ min: 300, max: 5000 }) },
      ),
      fc.constantFrom(undefined, undefined, undefined, 'A', 'B'),
    ),
    { maxLength: 120 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(([text, length, pause, speaker]): CaptionWord => {
      const start = (at += pause) / 1000;
      const word = { text, start, end: (at += length) / 1000 };
      return speaker === undefined ? word : { ...word, speaker };
    });
  });

const hostileTime = fc.oneof(
  fc.double({ min: -5, max: 4000, noNaN: true }),
  fc.constantFrom(
    Number.NaN,
    0,
    -1,
    undefined as unknown as number,
    Number.POSITIVE_INFINITY,
    359_987.99,
    359_999.9,
    360_000,
    1e308,
  ),
);
/** Words with all faults that a provider can produce. */
export const hostileWords = fc.array(
  fc.record({
    text: fc.oneof(textArbitrary, fc.constantFrom('', ' ', '\n', '\u0000', 'two words', ' - ')),
    start: hostileTime,
    end: hostileTime,
  }),
  { maxLength: 60 },
);
