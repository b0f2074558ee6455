import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { timeCues, type Spoken } from '../../server/captions/timing.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';

setDefaultTimeout(60_000);

const shown = (cues: [start: number, end: number, columns: number][], settings = {}) =>
  timeCues(
    cues.map(([start, end, columns]) => ({ start, end, columns })),
    { ...DEFAULTS, ...settings },
  ).map(({ start, end }) => [start, end]);

describe('a cue is shown', () => {
  test('while it is spoken', () => {
    expect(shown([[1, 4, 40]])).toEqual([[1000, 4000]]);
  });
  test('until it can be read, up to a second into the silence', () => {
    expect(shown([[1, 2, 34]])).toEqual([[1000, 3000]]);
    expect(shown([[1, 2, 84]])).toEqual([[800, 3000]]);
  });
  test('for the least time, and never longer than the most', () => {
    expect(shown([[1, 1.1, 3]])).toEqual([[1000, 1800]]);
    expect(shown([[1, 1.1, 3]], { minDuration: 2 })).toEqual([[1000, 3000]]);
    expect(shown([[1, 4, 40]], { maxDuration: 2 })).toEqual([[1000, 3000]]);
  });
});

describe('between two cues', () => {
  test('stand two frames, where reading would need that time', () => {
    expect(
      shown([
        [0, 2, 84],
        [2.5, 4, 20],
      ]),
    ).toEqual([
      [0, 2416],
      [2500, 4000],
    ]);
  });
  test('a gap that would flicker is closed to two frames', () => {
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
  test('a pause stays a pause', () => {
    expect(
      shown([
        [0, 2, 20],
        [2.6, 4, 20],
      ]),
    ).toEqual([
      [0, 2000],
      [2600, 4000],
    ]);
  });
  test('a short cue begins a little early, in the silence before it', () => {
    expect(
      shown([
        [0, 1, 8],
        [5, 5.5, 4],
        [5.7, 8, 20],
      ]),
    ).toEqual([
      [0, 1000],
      [4816, 5616],
      [5700, 8000],
    ]);
  });
  test('the silence may be one that the cue before only lingers in', () => {
    expect(
      shown([
        [0, 1, 34],
        [1.9, 2.4, 4],
        [2.6, 5, 20],
      ]),
    ).toEqual([
      [0, 1700],
      [1784, 2584],
      [2600, 5000],
    ]);
  });
  test('a cue that is still too short gives up the gap after it', () => {
    expect(
      shown([
        [0, 2, 20],
        [2.05, 2.8, 4],
        [2.87, 5, 20],
      ]),
    ).toEqual([
      [0, 1966],
      [2050, 2850],
      [2870, 5000],
    ]);
  });
  test('cues on one millisecond follow one another', () => {
    expect(
      shown([
        [1, 1, 2],
        [1, 1, 2],
        [1, 1, 2],
      ]).map(([start]) => start),
    ).toEqual([800, 1001, 1002]);
  });
});

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

test('whatever is spoken: in order, apart, as long as the neighbours allow', () => {
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
        // Too short only where the next cue's speech comes too soon for it.
        if (end - start < least) expect(end).toBe(next);
        // Never more than a blink before the speech, never long after it: to be read, or to close a small gap.
        expect(start).toBeGreaterThanOrEqual(Math.round(speech.start * 1000) - 200);
        const spokenFor = Math.min(speech.end - speech.start, given.maxDuration);
        const latest = (speech.start + Math.max(given.minDuration, spokenFor + 1)) * 1000 + 416;
        expect(end).toBeLessThanOrEqual(Math.round(latest) + cues.length);
        // No flicker: a gap is none, or two frames, or a pause.
        const gap = next - end;
        const longest = Math.round(given.maxDuration * 1000);
        if (gap > 84 && gap < 500) expect(end - start).toBe(longest);
      }
    }),
    { numRuns: 500 },
  );
});
