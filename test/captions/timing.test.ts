/** When cues are shown. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Spoken,
  timeCues,
  type SpokenTicks,
  type TickRules,
  timeOnTicks,
} from '../../server/captions/divide/timing.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';

setDefaultTimeout(300_000);

describe('timing', () => {
  const shown = (cues: [start: number, end: number, columns: number][], settings = {}) =>
    timeCues(
      cues.map(([start, end, columns]) => ({ start, end, columns })),
      { ...DEFAULTS, ...settings },
    ).map(({ start, end }) => [start, end]);

  describe('the time of a cue', () => {
    test('lasts until it can be read, up to a second into the silence', () => {
      expect(shown([[1, 2, 34]])).toEqual([[1000, 3000]]);
      expect(shown([[1, 2, 84]])).toEqual([[600, 3000]]);
    });
  });

  test('a cue next to others of maximum duration begins at the end of the one before, but no earlier than it may', () => {
    const cues: Parameters<typeof shown>[0] = [
      [0, 0.933, 9],
      [2.02, 2.702, 3],
      [4.201, 4.221, 2],
      [4.221, 4.241, 1],
    ];
    expect(shown(cues, { minDuration: 2, maxDuration: 2 })).toEqual([
      [0, 2000],
      [2000, 4000],
      [4000, 4221],
      [4221, 6221],
    ]);
  });

  describe('the gap between two cues', () => {
    test.each([169, 200, 250, 300, 336])(
      'is two frames if the next begins after %d ms and both can be seen',
      (later) => {
        const start = 5000 + later;
        expect(
          shown(
            [
              [0, 2, 20],
              [5, 5 + later / 1000, 1],
              [start / 1000, 9, 20],
            ],
            { minDuration: (later - 84) / 1000 },
          ).slice(1),
        ).toEqual([
          [5000, start - 84],
          [start, 9000],
        ]);
      },
    );
    test('is zero if both together are too short for it', () => {
      expect(
        shown(
          [
            [5, 5.1, 1],
            [5.168, 9, 20],
          ],
          { minDuration: 0.001 },
        ),
      ).toEqual([
        [5000, 5168],
        [5168, 9000],
      ]);
    });
    test.each([1, 40, 83])('is never %d ms, also after a cue of minimum duration', (left) => {
      expect(
        shown([
          [0, 2, 20],
          [2.05, 2.8, 4],
          [2.85 + left / 1000, 5, 20],
        ]).slice(1),
      ).toEqual([
        [2050, 2850 + left],
        [2850 + left, 5000],
      ]);
    });
    test('is reduced to two frames if it would flicker', () => {
      expect(
        shown([
          [0, 2, 20],
          [2.4, 4, 20],
        ]),
      ).toEqual([
        [0, 2316],
        [2400, 4000],
      ]);
    });
    test('a short cue begins slightly early, in the silence before it', () => {
      expect(
        shown([
          [0, 1, 8],
          [5, 5.5, 4],
          [5.7, 8, 20],
        ]),
      ).toEqual([
        [0, 1000],
        [4900, 5700],
        [5700, 8000],
      ]);
    });
    test.each<[string, Parameters<typeof shown>[0], number[][]]>([
      // The speech of the first ends when that of the second begins; only the gap is left.
      [
        'starts at the end of the one before',
        [
          [0, 2, 20],
          [2, 3, 22],
          [3, 6, 20],
        ],
        [
          [0, 1916],
          [1916, 3000],
          [3000, 6000],
        ],
      ],
      [
        'starts no earlier than it needs, and the one before stays until then',
        [
          [0, 2, 20],
          [2, 3, 21],
          [3, 6, 20],
        ],
        [
          [0, 1950],
          [1950, 3000],
          [3000, 6000],
        ],
      ],
      [
        'uses the gap left by an early start',
        [
          [0, 1.7, 20],
          [2, 3, 25],
          [3, 6, 20],
        ],
        [
          [0, 1750],
          [1750, 3000],
          [3000, 6000],
        ],
      ],
      [
        'is at most 0.4 s early',
        [
          [0, 1.5, 20],
          [2, 3, 40],
          [3, 6, 20],
        ],
        [
          [0, 1600],
          [1600, 3000],
          [3000, 6000],
        ],
      ],
      [
        'takes what the one before can spare of its gap',
        [
          [0, 1.05, 20],
          [1.05, 2.05, 22],
          [2.05, 6, 20],
        ],
        [
          [0, 1000],
          [1000, 2050],
          [2050, 6000],
        ],
      ],
      [
        'leaves one alone that is too fast itself',
        [
          [0, 1, 30],
          [1, 2, 30],
          [2, 6, 20],
        ],
        [
          [0, 1000],
          [1000, 2000],
          [2000, 6000],
        ],
      ],
    ])('a cue that is too fast to read %s', (_, cues, expected) => {
      expect(shown(cues)).toEqual(expected);
    });
    test('cues with the same time follow one another', () => {
      expect(
        shown([
          [1, 1, 2],
          [1, 1, 2],
          [1, 1, 2],
        ]).map(([start]) => start),
      ).toEqual([600, 1001, 1002]);
    });
  });
});

describe('properties of cue times that hold for any speech', () => {
  const spoken = fc
    .array(
      fc.tuple(
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 0, max: 9000 }),
        fc.integer({ min: 1, max: 120 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => {
      let at = 0;
      return parts.map(([pause, length, columns]): Spoken => {
        const start = (at += pause) / 1000;
        return { start, end: (at += length) / 1000, columns };
      });
    });
  const settings = fc.record({
    maxLineChars: fc.constant(42),
    maxLines: fc.constant(2),
    maxDuration: fc.double({ min: 2, max: 10, noNaN: true }),
    minDuration: fc.double({ min: 0.2, max: 2, noNaN: true }),
  });

  test('for any speech: cues are in order, do not overlap, and last as long as neighbours allow', () => {
    fc.assert(
      fc.property(spoken, settings, (cues, given) => {
        const times = timeCues(cues, given);
        const least = Math.round(given.minDuration * 1000);
        for (const [at, { start, end }] of times.entries()) {
          const next = times[at + 1]?.start ?? Number.POSITIVE_INFINITY;
          const speech = cues[at]!;
          expect([start, end].every((time) => Number.isInteger(time) && time >= 0)).toBe(true);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(next);
          expect(end - start).toBeLessThanOrEqual(Math.round(given.maxDuration * 1000));
          // A cue is too short only if the next cue's speech comes too soon.
          if (end - start < least) expect(end).toBe(next);
          // A cue starts at most 0.4 s before its speech.
          expect(start).toBeGreaterThanOrEqual(Math.round(speech.start * 1000) - 400);
          // It ends soon after its speech, unless it is needed for reading or closes a small gap.
          const spokenFor = Math.min(speech.end - speech.start, given.maxDuration);
          const latest = (speech.start + Math.max(given.minDuration, spokenFor + 1)) * 1000 + 500;
          expect(end).toBeLessThanOrEqual(Math.round(latest) + cues.length);
          // A gap is nothing, two frames, or a pause, so that nothing flickers.
          const gap = next - end;
          const longest = Math.round(given.maxDuration * 1000);
          if (gap > 84 && gap < 500) expect(end - start).toBe(longest);
          expect(gap === 0 || gap >= 84).toBe(true);
          // A cue is too fast to read only if no gap is left, or the silence or the maximum ends it.
          const lasts = Math.min(longest, Math.round((speech.columns / 20) * 1000));
          if (end - start < lasts && gap > 0 && gap < 500)
            expect(next - start).toBeGreaterThan(longest);
        }
      }),
      { numRuns: 500 },
    );
  });

  /** Speech of 12 to 30 columns a second, in cues within the maximum duration. */
  const plausible = fc
    .array(
      fc.tuple(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 34, max: 83 }),
        fc.integer({ min: 2, max: 84 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => {
      let at = 0;
      return parts.map(([pause, each, columns]): Spoken => {
        const start = (at += pause) / 1000;
        return { start, end: (at += each * columns) / 1000, columns };
      });
    });

  test('a cue that is too short leaves no time unused beside it, and begins early only for that', () => {
    const given = { maxLineChars: 42, maxLines: 2, maxDuration: 10, minDuration: 0.8 };
    fc.assert(
      fc.property(plausible, (cues) => {
        const times = timeCues(cues, given);
        // A cue stays at most a second after its speech.
        const needs = cues.map(({ start, end, columns }) =>
          Math.max(800, Math.min((columns / 20) * 1000, (end - start + 1) * 1000)),
        );
        for (const [at, { start, end }] of times.entries()) {
          const speech = cues[at]!;
          const [before, next] = [times[at - 1], times[at + 1]];
          const lead = Math.round(speech.start * 1000) - start;
          const lacks = needs[at]! - (end - start);
          // A next cue that starts early may close the gap after this one.
          const nextLeads = next && next.start < Math.round(cues[at + 1]!.start * 1000);
          if (lead > 84 && !nextLeads) {
            const reads = Math.max(800, (speech.columns / 20) * 1000);
            expect(end - start - (lead - 84)).toBeLessThanOrEqual(reads + 1);
          }
          if (lacks <= 1) continue;
          expect(next?.start).toBe(end);
          const earlier = before
            ? Math.max(cues[at - 1]!.end * 1000, before.start + needs[at - 1]!)
            : 0;
          expect(Math.min(start - earlier, 400 - lead)).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('times on ticks', () => {
  const RULES: TickRules = {
    rate: 25,
    least: 20,
    longest: 150,
    gap: 2,
    closedGap: 12,
    linger: 10,
    lead: 5,
    late: 6,
  };

  /** Speech from a tick to another, which takes as long to read as it takes to say. */
  const said = (start: number, end: number, reading: Partial<SpokenTicks> = {}): SpokenTicks => ({
    start,
    end,
    needed: end - start,
    comfortable: end - start,
    ...reading,
  });

  const timed = (...cues: SpokenTicks[]): [number, number][] =>
    timeOnTicks(cues, RULES).map(({ start, end }) => [start, end]);

  describe('times on ticks', () => {
    test('it ends a gap before the next, and a small gap is closed', () => {
      expect(timed(said(100, 150, { needed: 40 }), said(150, 200))).toEqual([
        [100, 148],
        [150, 200],
      ]);
      expect(timed(said(100, 140), said(150, 200))).toEqual([
        [100, 148],
        [150, 200],
      ]);
      expect(timed(said(100, 138), said(150, 200))).toEqual([
        [100, 138],
        [150, 200],
      ]);
    });

    test('one that is too short begins earlier, as far as the rules and the previous one allow', () => {
      expect(timed(said(100, 110), said(115, 165))).toEqual([
        [95, 115],
        [117, 167],
      ]);
      expect(timed(said(50, 97), said(100, 116), said(118, 168))).toEqual([
        [50, 97],
        [99, 119],
        [121, 171],
      ]);
    });
  });
});
