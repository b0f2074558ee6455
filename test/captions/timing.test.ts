/** When cues are shown. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { timeCues } from '../../server/captions/divide/timing.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/caption-defaults.ts';

type Spoken = Parameters<typeof timeCues>[0][number];

setDefaultTimeout(300_000);

/** Cues in seconds with their columns, “1-2:34”, and the milliseconds at which they are shown. */
const shown = (cues: string, settings = {}) =>
  timeCues(
    cues.split(' ').map((cue) => {
      const [start, end, columns] = cue.split(/[-:]/).map(Number);
      return { start: start!, end: end!, columns: columns! };
    }),
    { ...DEFAULTS, ...settings },
  )
    .map(({ start, end }) => `${start}-${end}`)
    .join(' ');

test.each([
  ['lasts until it can be read', '1-2:34', '1000-3000'],
  ['lasts up to a second into the silence', '1-2:84', '600-3000'],
  ['leaves two frames instead of a gap that would flicker', '0-2:20 2.4-4:20', '0-2316 2400-4000'],
  [
    'begins slightly early if it is short, in the silence before it',
    '0-1:8 5-5.5:4 5.7-8:20',
    '0-1000 4900-5700 5700-8000',
  ],
  [
    'starts at the end of the one before if it is too fast to read',
    '0-2:20 2-3:22 3-6:20',
    '0-1916 1916-3000 3000-6000',
  ],
  [
    'starts no earlier than it needs, and the one before stays until then',
    '0-2:20 2-3:21 3-6:20',
    '0-1950 1950-3000 3000-6000',
  ],
  ['uses the gap left by an early start', '0-1.7:20 2-3:25 3-6:20', '0-1750 1750-3000 3000-6000'],
  ['is at most 0.4 s early', '0-1.5:20 2-3:40 3-6:20', '0-1600 1600-3000 3000-6000'],
  [
    'takes what the one before can spare of its gap',
    '0-1.05:20 1.05-2.05:22 2.05-6:20',
    '0-1000 1000-2050 2050-6000',
  ],
  ['leaves alone one that is too fast', '0-1:30 1-2:30 2-6:20', '0-1000 1000-2000 2000-6000'],
  ['follows one with the same time', '1-1:2 1-1:2 1-1:2', '600-1001 1001-1002 1002-1802'],
])('a cue %s', (_, cues, expected) => {
  expect(shown(cues)).toBe(expected);
});

test('a cue next to others of maximum duration begins at the end of the one before, but no earlier than it may', () => {
  const cues = '0-0.933:9 2.02-2.702:3 4.201-4.221:2 4.221-4.241:1';
  const times = '0-2000 2000-4000 4000-4221 4221-6221';
  expect(shown(cues, { minDuration: 2, maxDuration: 2 })).toBe(times);
});

test.each([169, 200, 250, 300, 336])(
  'the gap is two frames if the next cue begins after %d ms and both can be seen',
  (later) => {
    const start = 5000 + later;
    const cues = `0-2:20 5-${5 + later / 1000}:1 ${start / 1000}-9:20`;
    const times = ` 5000-${start - 84} ${start}-9000`;
    expect(shown(cues, { minDuration: (later - 84) / 1000 })).toEndWith(times);
  },
);

test('the gap is zero if both cues together are too short for it, and never less than two frames', () => {
  expect(shown('5-5.1:1 5.168-9:20', { minDuration: 0.001 })).toBe('5000-5168 5168-9000');
  for (const left of [1, 40, 83]) {
    const start = 2850 + left;
    const cues = `0-2:20 2.05-2.8:4 ${start / 1000}-5:20`;
    expect(shown(cues)).toEndWith(` 2050-${start} ${start}-5000`);
  }
});

describe('properties of cue times that hold for any speech', () => {
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
