/** Speakers from the voices of stretches: voices that are more or less alike, speak briefly, or have no print. */
import { describe, expect, test } from 'bun:test';
import { joinVoices, type VoiceStretch } from '../../../server/speech/host/speakers/voices.ts';

type Turn = [start: number, end: number, voice: number];

/** A print of length 1 at an angle, in degrees: the similarity of two is the cosine of the angle between them. */
const at = (degrees: number) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];
const stretch = (prints: (number | null)[], turns: Turn[]): VoiceStretch => ({
  start: turns[0]?.[0] ?? 0,
  end: turns.at(-1)?.[1] ?? 0,
  prints: prints.map((print) => (print === null ? null : at(print))),
  turns: turns.map(([start, end, voice]) => ({ start, end, voice })),
});
/** A stretch in which each voice speaks once, for these seconds, one after the other. */
const inTurn = (prints: number[], seconds: readonly number[]): VoiceStretch => {
  let end = 0;
  return stretch(
    prints,
    seconds.map((length, voice): Turn => [end, (end += length), voice]),
  );
};
const speakers = (...stretches: VoiceStretch[]): string =>
  joinVoices(stretches)
    .map(({ start, end, speaker }) => `${start}-${end} ${speaker}`)
    .join(', ');

describe('voices', () => {
  test.each<[string, VoiceStretch[], string]>([
    ['no stretch', [], ''],
    ['nobody', [stretch([0], [])], ''],
    [
      'one that changes its number',
      [
        stretch(
          [0, 90],
          [
            [0, 5, 1],
            [5, 9, 0],
          ],
        ),
        stretch(
          [0, 90],
          [
            [10, 15, 0],
            [15, 19, 1],
          ],
        ),
      ],
      '0-5 0, 5-9 1, 10-15 1, 15-19 0',
    ],
    // The cosine of 66 degrees is 0.407, of 67 degrees 0.391.
    ['two that are just alike', [inTurn([0, 66], [5, 4])], '0-5 0, 5-9 0'],
    ['two that are just different', [inTurn([0, 67], [5, 4])], '0-5 0, 5-9 1'],
    [
      'two that a third one between them makes alike',
      [inTurn([0, 70, 35], [10, 9, 8])],
      '0-10 0, 10-19 0, 19-27 0',
    ],
    [
      'three of which one connects the others, beside a different one',
      [inTurn([0, 200, 70, 34], [10, 5, 1.875, 1.75])],
      '0-10 0, 10-15 1, 15-16.875 0, 16.875-18.625 0',
    ],
    [
      'three that speak for two seconds together',
      [inTurn([200, 0, 70, 34], [5, 0.75, 0.6875, 0.625])],
      '0-5 0, 5-5.75 1, 5.75-6.4375 1, 6.4375-7.0625 1',
    ],
    [
      'one that speaks briefly in two stretches',
      [inTurn([0, 90], [5, 1.5]), stretch([90], [[10, 11.5, 0]])],
      '0-5 0, 5-6.5 1, 10-11.5 1',
    ],
    [
      'one that speaks for less than two seconds, like the more similar one',
      [
        stretch(
          [0, 90, 180],
          [
            [0, 5, 0],
            [5, 9, 1],
            [9, 10.9, 2],
          ],
        ),
      ],
      '0-5 0, 5-9 1, 9-10.9 1',
    ],
    [
      'one that speaks for two seconds in several turns',
      [
        stretch(
          [0, 90, 180],
          [
            [0, 5, 0],
            [5, 9, 1],
            [9, 10, 2],
            [11, 12, 2],
          ],
        ),
      ],
      '0-5 0, 5-9 1, 9-10 2, 11-12 2',
    ],
    ['several that all speak briefly', [inTurn([0, 90], [1, 1.5])], '0-1 0, 1-2.5 1'],
    [
      'one without a print, like the turn that it overlaps most',
      [
        stretch(
          [0, 90, null],
          [
            [0, 5, 0],
            [4, 9, 1],
            [4.5, 8, 2],
          ],
        ),
      ],
      '0-5 0, 4-9 1, 4.5-8 1',
    ],
    [
      'one without a print, like the nearest turn',
      [
        stretch(
          [0, 90, null],
          [
            [0, 5, 0],
            [6, 6.5, 2],
            [8, 12, 1],
          ],
        ),
      ],
      '0-5 0, 6-6.5 0, 8-12 1',
    ],
    [
      'none with a print',
      [
        stretch(
          [null, null],
          [
            [0, 5, 0],
            [5, 9, 1],
          ],
        ),
      ],
      '0-5 0, 5-9 0',
    ],
    [
      'turns of several stretches in order of time',
      [
        stretch([0], [[10, 15, 0]]),
        stretch(
          [90],
          [
            [0, 5, 0],
            [0, 3, 0],
          ],
        ),
      ],
      '0-3 0, 0-5 0, 10-15 1',
    ],
  ])('%s', (_, stretches, expected) => {
    expect(speakers(...stretches)).toBe(expected);
  });

  test('a longer voice counts for more in the print of a speaker', () => {
    // With the third voice, the first speaker's print is nearer to 0 than to 60 degrees.
    const long = stretch(
      [0, 60, 120],
      [
        [0, 100, 0],
        [100, 104, 1],
        [104, 110, 2],
      ],
    );
    expect(speakers(long)).toBe('0-100 0, 100-104 0, 104-110 1');
    const short = stretch(
      [0, 60, 120],
      [
        [0, 5, 0],
        [5, 105, 1],
        [105, 110, 2],
      ],
    );
    expect(speakers(short)).toBe('0-5 0, 5-105 0, 105-110 0');
  });

  test('are at most forty speakers', () => {
    // Each print has its own dimension, so that none is like another.
    const prints = Array.from({ length: 42 }, (_, voice) =>
      Array.from({ length: 42 }, (_, dimension) => (dimension === voice ? 1 : 0)),
    );
    const turns = prints.map((_, voice) => ({ start: voice * 4, end: voice * 4 + 3, voice }));
    const found = joinVoices([{ start: 0, end: 168, prints, turns }]);
    expect(new Set(found.map(({ speaker }) => speaker)).size).toBe(40);
  });
});
