/**
 * Fixes for violations of a publisher's rules: they break no other rule, and align chains of
 * captions with frames.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkCaptions, fixCaptions } from '../../server/captions/rules/check.ts';
import type { Caption } from '../../server/captions/cue.ts';
import { isWithinFrames } from '../../server/captions/rules/frame-fixes.ts';
import { isOnFrame, secondsAt } from '../../server/captions/frames.ts';
import {
  HOUSE_PROFILE_FORMAT,
  houseProfileFrom,
  houseRules,
} from '../../server/captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { rounds } from '../support/fuzz.ts';

const RATES = [23.976, 24, 25, 29.97, 30, 50, 60];
const TEXTS = [
  'Yes.',
  'Nobody copies a secret.',
  'from one window to another any more',
  'It reads one page',
];

/** Captions in order, many of which touch, are too short or are too fast to read; times in milliseconds. */
const captions = fc
  .array(
    fc.record({
      gap: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 3000 }),
      ),
      length: fc.oneof(fc.integer({ min: 200, max: 1500 }), fc.integer({ min: 800, max: 7500 })),
      lines: fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 2 }),
    }),
    { maxLength: 12 },
  )
  .map((parts): Caption[] => {
    let at = 0;
    return parts.map(({ gap, length, lines }) => {
      const start = at + gap;
      at = start + length;
      return { start: start / 1000, end: at / 1000, lines };
    });
  });

const exact = (rate: number): number =>
  Number.isInteger(rate) ? rate : (Math.round(rate) * 1000) / 1001;

const broken = (...of: Parameters<typeof checkCaptions>): string[] =>
  checkCaptions(...of).map(({ at, rule }) => `${at} ${rule}`);

describe('fixing everything', () => {
  test.each([...PROFILE_NAMES])('by the rules of %s, breaks no other rule', (name) => {
    fc.assert(
      fc.property(captions, fc.constantFrom(...RATES), (cues, rate) => {
        const profile = profileOf(name);
        const picture = profile.frameRate === null ? {} : { frameRate: rate };
        const fixed = fixCaptions(cues, profile, picture);
        expect(fixed.map(({ lines }) => lines.join(' '))).toEqual(
          cues.map(({ lines }) => lines.join(' ')),
        );
        for (const [at, { start, end }] of fixed.entries()) {
          expect(end).toBeGreaterThan(start);
          const next = fixed[at + 1];
          if (next) expect(next.start).toBeGreaterThanOrEqual(end);
        }
        const before = new Set(broken(cues, profile, picture));
        expect(broken(fixed, profile, picture).filter((fault) => !before.has(fault))).toEqual([]);
      }),
      { numRuns: rounds(150) },
    );
  });

  test('aligns all captions with frames, however close they are', () => {
    fc.assert(
      fc.property(captions, fc.constantFrom(...RATES), (cues, rate) => {
        const fixed = fixCaptions(cues, profileOf('netflix'), { frameRate: rate });
        for (const { start, end } of fixed) {
          expect(isOnFrame(start, exact(rate))).toBe(true);
          expect(isOnFrame(end, exact(rate))).toBe(true);
        }
      }),
      { numRuns: rounds(150) },
    );
  });

  test('leaves no violation that could still be fixed', () => {
    const cues = chain(40);
    const profile = profileOf('bbc');
    const fixed = fixCaptions(cues, profile);
    expect(checkCaptions(fixed, profile).filter(({ fix }) => fix)).toEqual([]);
  });
});

test('a rule that the fix of another one has satisfied changes nothing more', () => {
  const cues = [
    { start: 0, end: 0.5, lines: ['Hello, my dear.'] },
    { start: 5, end: 7, lines: ['It reads one page'] },
  ];
  const profile = profileOf('default');
  expect(broken(cues, profile)).toEqual(['0 min_duration', '0 reading_speed']);
  expect(fixCaptions(cues, profile)).toEqual([{ ...cues[0]!, end: 0.8 }, cues[1]!]);
});

test('a caption that is too short gets no millisecond more than it needs', () => {
  for (let tenth = 0; tenth < 50; tenth += 1) {
    const cue = { start: tenth / 10, end: tenth / 10 + 0.5, lines: ['Yes.'] };
    const [fixed] = fixCaptions([cue], profileOf('default'));
    expect(fixed).toEqual({ ...cue, end: (tenth + 8) / 10 });
  }
});

test('a caption cuts less than half a second of the one before it for a shot change', () => {
  const frames = (start: number, end: number): Caption => ({
    start: secondsAt(start, 24),
    end: secondsAt(end, 24),
    lines: ['Yes.'],
  });
  const fixOf = (start: number) => {
    const cues = [frames(50, start), frames(start, start + 20)];
    const picture = { frameRate: 24, shots: [100 / 24] };
    const found = checkCaptions(cues, profileOf('netflix'), picture);
    return found.find(({ at, rule }) => at === 1 && rule === 'shot_in')?.fix;
  };
  // The caption is too short to begin with the shot, so it would begin half a second before it.
  expect(fixOf(97)?.map(({ caption }) => caption)).toEqual([frames(50, 86), frames(88, 117)]);
  expect(fixOf(99)).toBeNull();
});

test('an overlap of less than a quarter of a second is cut, and a longer one may be speech', () => {
  const endAfter = (overlap: number): number | undefined => {
    const cues = [
      { start: 0, end: 2 + overlap, lines: ['It reads one page'] },
      { start: 2, end: 4, lines: ['It reads one page'] },
    ];
    const [found] = checkCaptions(cues, profileOf('default'));
    expect([found?.rule, found?.at]).toEqual(['gap', 0]);
    return found?.fix?.[0]?.caption.end;
  };
  expect(endAfter(0.249)).toBe(2);
  expect(endAfter(0.25)).toBeUndefined();
  expect(endAfter(0.8)).toBeUndefined();
});

/** Captions that follow each other without a gap, at times that are on no frame. */
const chain = (count: number): Caption[] =>
  Array.from({ length: count }, (_, at) => ({
    start: 0.013 + at * 2.017,
    end: 0.013 + (at + 1) * 2.017,
    lines: ['Nobody copies a secret.'],
  }));

describe('one caption of a chain', () => {
  const profile = profileOf('netflix');

  test('moves the adjacent edges of its neighbours along', () => {
    const cues = chain(3);
    const fix = checkCaptions(cues, profile).find(
      ({ at, rule }) => at === 1 && rule === 'on_frames',
    )?.fix;
    const changed = new Map(fix?.map(({ at, caption }) => [at, caption]));
    const [before, own, after] = [0, 1, 2].map((at) => changed.get(at) ?? cues[at]!);
    expect(isOnFrame(own!.start, 24) && isOnFrame(own!.end, 24)).toBe(true);
    expect(own!.start).toBeCloseTo(cues[1]!.start, 1);
    expect(before!.end).toBeLessThanOrEqual(own!.start);
    expect(after!.start).toBeGreaterThanOrEqual(own!.end);
  });

  test('moves by the fewest frames', () => {
    const cues = [{ start: 1.01, end: 3.05, lines: ['Yes.'] }];
    expect(fixCaptions(cues, profile, { frameRate: 25 }, ['on_frames'])).toEqual([
      { start: 1, end: 3.04, lines: ['Yes.'] },
    ]);
  });

  test('is aligned with frames even if it is too fast to read', () => {
    const cues = [{ start: 1.01, end: 1.99, lines: ['from one window to another any more'] }];
    const [caption] = fixCaptions(cues, profile, { frameRate: 25 }, ['on_frames']);
    expect([caption?.start, caption?.end]).toEqual([1, 2]);
  });
});

describe('a fix leaves no gap that looks like flicker', () => {
  const ending = (next: number, name: (typeof PROFILE_NAMES)[number]): number | undefined => {
    const cues: Caption[] = [
      { start: 0, end: 0.6, lines: ['Yes.'] },
      { start: next, end: next + 2, lines: ['It reads one page'] },
    ];
    const profile = { ...profileOf(name), rules: profileOf('default').rules };
    const [found] = checkCaptions(cues, profile, {});
    expect([found?.rule, found?.at]).toEqual(['min_duration', 0]);
    return found?.fix?.[0]?.caption.end;
  };
  test.each(['default', 'youtube'] as const)('by the profile %s', (name) => {
    // Up to the next caption instead of 0.2 s before it.
    expect(ending(1, name)).toBe(1);
    // Only as long as required, because half a second is a pause.
    expect(ending(1.3, name)).toBe(0.8);
    expect(ending(1.29, name)).toBe(1.29);
  });
});

test('a gap of half a second is made by cutting the caption before it, unless they overlap', () => {
  const house = houseProfileFrom({
    format: HOUSE_PROFILE_FORMAT,
    name: 'Ours',
    base: 'netflix',
    gapFrames: 12,
    closedGap: 1,
    frameRate: null,
  });
  const endAfter = (length: number) => {
    const cues = [0, 4].map((start) => ({ start, end: start + length, lines: ['Good evening.'] }));
    const [broken] = checkCaptions(cues, houseRules(house));
    expect(broken).toMatchObject({ at: 0, rule: 'gap' });
    return broken?.fix?.[0]?.caption.end;
  };
  expect([3.9, 4, 4.1].map(endAfter)).toEqual([3.5, 3.5, undefined]);
});

test.each([
  [231, 228],
  [234, 238],
  [243, 238],
  [246, 252],
])('a caption that ends with frame %d is made to end with %d at a shot change', (end, fixed) => {
  const cues = [{ start: 8, end: secondsAt(end, 24), lines: ['Good evening.'] }];
  const [broken] = checkCaptions(cues, profileOf('netflix'), { frameRate: 24, shots: [10] });
  expect([broken?.rule, broken?.fix?.[0]?.caption.end]).toEqual(['shot_out', secondsAt(fixed, 24)]);
});

test.each([
  ['max_duration', 1, 1.04, 1.06],
  ['min_duration', 1, 1.04, 1.06],
  // Half a frame more, as long as it is no overlap; or an overlap that was one before.
  ['gap', 0.01, 0.03, 0.04],
  ['gap', 0.07, 0.08, 0.09],
  ['gap', 0.1, 0.1, 0.11],
] as const)(
  'on frames, a broken %s of %d s may become %d s, and not %d s',
  (rule, known, most, tooMuch) => {
    const may = (by: number) =>
      isWithinFrames({ rule, says: '', by: known }, { rule, says: '', by }, 25, 0.08);
    expect([may(most), may(tooMuch)]).toEqual([true, false]);
  },
);
