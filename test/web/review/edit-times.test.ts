/** The times of captions are moved, and captions never overlap. */
import {
  type Retiming,
  moveCue,
  setEdge,
  extendForReading,
} from '../../../web/review/model/edit-times.ts';
import {
  after,
  at,
  cuesOf,
  retimed,
  rules,
  settings,
  someCues,
  texts,
  times,
  wordsOf,
  edits,
} from './support.ts';
import { describe, expect, test } from 'bun:test';
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { fixFor, fixAll } from '../../../web/review/model/fix.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import fc from 'fast-check';
import { rounds } from '../../support/fuzz.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { ProfileChecker } from '../../../web/review/desk/profile-rules.ts';

/** A gap of a second, and a cut with a gap of a fifth of one. */
const CUES = [at(1, 0, 2), at(2, 3, 5), at(3, 5.2, 8)];

const limits = { minDuration: 1 };

/** The number of the first caption, the times from there on, and the limit: its cause, the edge and the time. */
const told = (made: Retiming | null) =>
  made && {
    first: made.at + 1,
    times: made.cues.map(({ start, end }) => `${start}-${end}`).join(' '),
    limitedBy:
      made.limitedBy &&
      [
        made.limitedBy.by,
        made.limitedBy.edge,
        made.limitedBy.limit,
        ...(made.limitedBy.stays ? ['stays'] : []),
      ].join(' '),
  };

describe('a splice', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  test('is refused if other cues are there', () => {
    for (const at of [0, 2, 3, -1, 0.5]) {
      expect(() => applySplice(cues, { at, removed: [cues[1]!], inserted: [] })).toThrow(
        RangeError,
      );
    }
  });
});

describe('times', () => {
  const cues = [at(1, 0, 2), at(2, 3, 5), at(3, 6, 8)];
  const set = (index: number, wanted: { start?: number; end?: number }, of = cues) =>
    edits.setTimes(of, index, wanted, settings);
  test('that are unchanged or invalid are no edit', () => {
    expect(retimed(cues, set(1, { start: 3.0001 }))).toBeNull();
    expect(set(1, { start: Number.NaN })).toBeNull();
    expect(set(3, { start: 1 })).toBeNull();
  });
  test('snap to the neighbour, two frames away', () => {
    expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'end')))[1]).toEqual([3, 5.916]);
    expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'start')))[1]).toEqual([2.084, 5]);
    expect(edits.snapToNeighbour(cues, 0, 'start')).toBeNull();
    const touching = [at(1, 0, 2), at(2, 2, 3)];
    expect(edits.snapToNeighbour(touching, 0, 'end')).toBeNull();
  });
});

describe('a cue is extended for reading', () => {
  const sixty = 'x'.repeat(60);
  test.each([
    ['into the silence after it', [at(1, 0, 1), at(2, 2, 3, sixty), at(3, 9, 10)], [2, 5]],
    ['up to the next', [at(1, 0, 1), at(2, 3, 4, sixty), at(3, 6, 7)], [2.916, 5.916]],
    ['over the gaps where it must', [at(1, 0, 2), at(2, 3, 4, sixty), at(3, 5, 6)], [2, 5]],
    ['to the longest duration', [at(1, 0, 1, 'x'.repeat(300))], [0, 6]],
    ['to the shortest duration', [at(1, 0, 0.1, 'No.')], [0, 0.8]],
  ])('%s', (_, cues, expected) => {
    const index = cues.length === 1 ? 0 : 1;
    const splice = edits.extendForReading(cues, index, 20, settings);
    expect(times(after(cues, splice))[index]).toEqual(expected);
  });
});

test('a cue is removed', () => {
  const cues = cuesOf('One', 'Two');
  expect(texts(after(cues, edits.remove(cues, 0)))).toEqual(['Two']);
  expect(edits.remove(cues, 2)).toBeNull();
});

describe('a warning is fixed', () => {
  test.each([
    ['reading_speed_high', [at(1, 0, 1, 'x'.repeat(40)), at(2, 5, 6)]],
    ['duration_below_minimum', [at(1, 0, 0.3, 'No.'), at(2, 5, 6)]],
    ['duration_above_maximum', [at(1, 0, 8), at(2, 9, 10)]],
    ['line_count_above_maximum', [at(1, 0, 4, 'One,\ntwo,\nthree.')]],
    [
      'line_length_above_maximum',
      [at(1, 0, 5, 'They shipped an MCP server for the team last night.')],
    ],
    ['dangling_line_break', [at(1, 0, 4, 'They all went to the\nhouse and the big garden of us.')]],
  ] as const)('%s', (flag, cues) => {
    const flags = (all: readonly ReviewCue[]) =>
      assessCue(all[0]!, all[1], settings, 'en').quality.flags;
    expect(flags(cues)).toEqual([flag]);
    expect(flags(after(cues, fixFor(flag, cues, 0, rules())))).toEqual([]);
  });
  test('only if it improves the cue', () => {
    const full = [at(1, 0, 1, 'x'.repeat(40)), at(2, 1, 2)];
    expect(fixFor('reading_speed_high', full, 0, rules())).toBeNull();
    const word = [at(1, 0, 5, 'x'.repeat(60))];
    expect(fixFor('line_length_above_maximum', word, 0, rules())).toBeNull();
  });
});

describe('an edge', () => {
  test.each<
    [
      mode: 'push' | 'roll' | 'ripple' | 'free',
      caption: number,
      edge: 'start' | 'end',
      to: number,
      first: number,
      times: string,
      limitedBy: string | null,
    ]
  >([
    ['push', 2, 'start', 2.5, 1, '0-2 2.5-5 5.2-8', null],
    ['push', 2, 'start', 1.5, 1, '0-1.416 1.5-5 5.2-8', null],
    ['push', 2, 'start', 0.5, 1, '0-1 1.084-5 5.2-8', 'previous start 1.084'],
    ['push', 2, 'start', 4.9, 1, '0-2 4.9-5 5.2-8', null],
    ['push', 2, 'start', 6, 1, '0-2 4.999-5 5.2-8', 'own start 4.999'],
    ['push', 2, 'end', 4, 1, '0-2 3-4 5.2-8', null],
    ['push', 2, 'end', 5.1, 1, '0-2 3-5.1 5.2-8', null],
    ['push', 2, 'end', 6, 1, '0-2 3-6 6.084-8', null],
    ['push', 2, 'end', 7.5, 1, '0-2 3-6.916 7-8', 'next end 6.916'],
    ['push', 2, 'end', 2, 1, '0-2 3-3.001 5.2-8', 'own end 3.001'],
    ['push', 1, 'start', -1, 1, '0-2 3-5', 'clock start 0'],
    ['push', 1, 'end', 2.4, 1, '0-2.4 3-5', null],
    ['push', 3, 'start', 4.4, 2, '3-4.316 4.4-8', null],
    ['push', 3, 'start', 3.5, 2, '3-4 4.084-8', 'previous start 4.084'],
    ['push', 3, 'end', 100, 2, '3-5 5.2-100', null],
    ['push', 3, 'end', 4, 2, '3-5 5.2-5.201', 'own end 5.201'],
    ['roll', 2, 'start', 2.5, 1, '0-2 2.5-5 5.2-8', null],
    ['roll', 2, 'start', 1.5, 1, '0-1.416 1.5-5 5.2-8', null],
    ['roll', 2, 'start', 0.5, 1, '0-1 1.084-5 5.2-8', 'previous start 1.084'],
    ['roll', 2, 'start', 4.9, 1, '0-2 4.9-5 5.2-8', null],
    ['roll', 2, 'start', 6, 1, '0-2 4.999-5 5.2-8', 'own start 4.999'],
    ['roll', 2, 'end', 4, 2, '3-4 4.2-8', null],
    ['roll', 2, 'end', 5.1, 2, '3-5.1 5.3-8', null],
    ['roll', 2, 'end', 6, 2, '3-6 6.2-8', null],
    ['roll', 2, 'end', 7.5, 2, '3-6.8 7-8', 'next end 6.8'],
    ['roll', 2, 'end', 2, 2, '3-4 4.2-8', 'own end 4'],
    ['roll', 1, 'start', -1, 1, '0-2 3-5', 'clock start 0'],
    ['roll', 1, 'end', 2.4, 1, '0-2.4 3-5', null],
    ['roll', 3, 'start', 4.4, 2, '3-4.2 4.4-8', null],
    ['roll', 3, 'start', 3.5, 2, '3-4 4.2-8', 'previous start 4.2'],
    ['roll', 3, 'end', 100, 2, '3-5 5.2-100', null],
    ['roll', 3, 'end', 4, 2, '3-5 5.2-5.201', 'own end 5.201'],
    ['ripple', 2, 'start', 2.5, 1, '0-2 2.5-4.5 4.7-7.5', null],
    ['ripple', 2, 'start', 1.5, 1, '0-1.416 1.5-3.5 3.7-6.5', null],
    ['ripple', 2, 'start', 0.5, 1, '0-1 1.084-3.084 3.284-6.084', 'previous move -1.916'],
    ['ripple', 2, 'start', 4.9, 1, '0-2 4.9-6.9 7.1-9.9', null],
    ['ripple', 2, 'start', 6, 1, '0-2 6-8 8.2-11', null],
    ['ripple', 2, 'end', 4, 2, '3-4 4.2-7', null],
    ['ripple', 2, 'end', 5.1, 2, '3-5.1 5.3-8.1', null],
    ['ripple', 2, 'end', 6, 2, '3-6 6.2-9', null],
    ['ripple', 2, 'end', 7.5, 2, '3-7.5 7.7-10.5', null],
    ['ripple', 2, 'end', 2, 2, '3-3.001 3.201-6.001', 'own end 3.001'],
    ['ripple', 1, 'start', -1, 1, '0-2 3-5 5.2-8', 'clock move 0'],
    ['ripple', 1, 'end', 2.4, 1, '0-2.4 3.4-5.4 5.6-8.4', null],
    ['ripple', 3, 'start', 4.4, 2, '3-4.316 4.4-7.2', null],
    ['ripple', 3, 'start', 3.5, 2, '3-4 4.084-6.884', 'previous move -1.116'],
    ['ripple', 3, 'end', 100, 3, '5.2-100', null],
    ['ripple', 3, 'end', 4, 3, '5.2-5.201', 'own end 5.201'],
    ['free', 2, 'start', 2.5, 2, '2.5-5', null],
    ['free', 2, 'start', 1.5, 2, '2-5', 'previous start 2 stays'],
    ['free', 2, 'start', 0.5, 2, '2-5', 'previous start 2 stays'],
    ['free', 2, 'start', 4.9, 2, '4.9-5', null],
    ['free', 2, 'start', 6, 2, '4.999-5', 'own start 4.999'],
    ['free', 2, 'end', 4, 2, '3-4', null],
    ['free', 2, 'end', 5.1, 2, '3-5.1', null],
    ['free', 2, 'end', 6, 2, '3-5.2', 'next end 5.2 stays'],
    ['free', 2, 'end', 7.5, 2, '3-5.2', 'next end 5.2 stays'],
    ['free', 2, 'end', 2, 2, '3-3.001', 'own end 3.001'],
    ['free', 1, 'start', -1, 1, '0-2', 'clock start 0'],
    ['free', 1, 'end', 2.4, 1, '0-2.4', null],
    ['free', 3, 'start', 4.4, 3, '5-8', 'previous start 5 stays'],
    ['free', 3, 'start', 3.5, 3, '5-8', 'previous start 5 stays'],
    ['free', 3, 'end', 100, 3, '5.2-100', null],
    ['free', 3, 'end', 4, 3, '5.2-5.201', 'own end 5.201'],
  ])('%s: of caption %p, the %s to %p', (mode, caption, edge, to, first, times, limitedBy) => {
    expect(told(setEdge(mode, CUES, caption - 1, edge, to, limits))).toEqual({
      first,
      times,
      limitedBy,
    });
  });

  test('of a missing caption, or to an invalid time, is not moved', () => {
    for (const mode of ['push', 'roll', 'ripple', 'free'] as const) {
      expect(setEdge(mode, CUES, 3, 'end', 9, limits)).toBeNull();
      expect(setEdge(mode, CUES, 1, 'end', Number.NaN, limits)).toBeNull();
    }
  });
});

describe('a whole caption', () => {
  test.each<
    [
      mode: 'push' | 'ripple' | 'free',
      caption: number,
      by: number,
      first: number,
      times: string,
      limitedBy: string | null,
    ]
  >([
    ['push', 2, 0.1, 1, '0-2 3.1-5.1 5.2-8', null],
    ['push', 2, -0.5, 1, '0-2 2.5-4.5 5.2-8', null],
    ['push', 2, -2.5, 1, '0-1 1.084-3.084 5.2-8', 'previous move -1.916'],
    ['push', 2, 1, 1, '0-2 4-6 6.084-8', null],
    ['push', 2, 3, 1, '0-2 4.916-6.916 7-8', 'next move 1.916'],
    ['push', 1, -1, 1, '0-2 3-5', 'clock move 0'],
    ['push', 3, 2, 2, '3-5 7.2-10', null],
    ['push', 1, 0.5, 1, '0.5-2.5 3-5', null],
    ['ripple', 2, 0.1, 1, '0-2 3.1-5.1 5.3-8.1', null],
    ['ripple', 2, -0.5, 1, '0-2 2.5-4.5 4.7-7.5', null],
    ['ripple', 2, -2.5, 1, '0-1 1.084-3.084 3.284-6.084', 'previous move -1.916'],
    ['ripple', 2, 1, 1, '0-2 4-6 6.2-9', null],
    ['ripple', 2, 3, 1, '0-2 6-8 8.2-11', null],
    ['ripple', 1, -1, 1, '0-2 3-5 5.2-8', 'clock move 0'],
    ['ripple', 3, 2, 2, '3-5 7.2-10', null],
    ['ripple', 1, 0.5, 1, '0.5-2.5 3.5-5.5 5.7-8.5', null],
    ['free', 2, 0.1, 2, '3.1-5.1', null],
    ['free', 2, -0.5, 2, '2.5-4.5', null],
    ['free', 2, -2.5, 2, '2-4', 'previous move -1 stays'],
    ['free', 2, 1, 2, '3.2-5.2', 'next move 0.2 stays'],
    ['free', 2, 3, 2, '3.2-5.2', 'next move 0.2 stays'],
    ['free', 1, -1, 1, '0-2', 'clock move 0'],
    ['free', 3, 2, 3, '7.2-10', null],
    ['free', 1, 0.5, 1, '0.5-2.5', null],
  ])('%s: caption %p by %p', (mode, caption, by, first, times, limitedBy) => {
    expect(told(moveCue(mode, CUES, caption - 1, by, limits))).toEqual({ first, times, limitedBy });
  });

  test('that is missing, or by an invalid time, is not moved', () => {
    for (const mode of ['push', 'ripple', 'free'] as const) {
      expect(moveCue(mode, CUES, 3, 1, limits)).toBeNull();
      expect(moveCue(mode, CUES, 1, Number.NaN, limits)).toBeNull();
    }
  });
});

const three = [
  at(1, 0, 2, 'One'),
  at(2, 2.1, 4, 'two'),
  at(3, 5, 7, 'three.'),
  at(4, 9, 11, 'Four'),
];

const made = (retiming: Retiming | null) => {
  if (!retiming) throw new Error('Nothing was made.');
  const splice = edits.retime(three, retiming);
  return {
    times: times(splice ? applySplice(three, splice) : three),
    limitedBy: retiming.limitedBy,
  };
};

describe('several captions', () => {
  test('are merged only if they are adjacent', () => {
    const merged = edits.mergeMany(three, [0, 1, 2], settings, 'en');
    expect(texts(merged ? applySplice(three, merged) : [])).toEqual(['One two three.', 'Four']);
    expect(edits.mergeMany(three, [0, 2], settings, 'en')).toBeNull();
    expect(edits.mergeMany(three, [1], settings, 'en')).toBeNull();
    expect(edits.mergeMany(three, [0, 1, 3], settings, 'en')).toBeNull();
    expect(edits.mergeMany([at(1, 0, 2, 'One\ntwo')], [0], settings, 'en')).toBeNull();
  });
  test('are moved as far as the others allow', () => {
    expect(made(edits.shiftMany(three, [1, 2], 0.5)).times).toEqual([
      [0, 2],
      [2.6, 4.5],
      [5.5, 7.5],
      [9, 11],
    ]);
    const { times, limitedBy } = made(edits.shiftMany(three, [1, 2], -5));
    expect(times[1]).toEqual([2, 3.9]);
    expect(limitedBy).toMatchObject({ many: true, limit: -0.1 });
    // A caption that is not selected stays, even between selected ones.
    expect(made(edits.shiftMany(three, [0, 2], 0.05)).times).toEqual([
      [0.05, 2.05],
      [2.1, 4],
      [5.05, 7.05],
      [9, 11],
    ]);
    const last = edits.shiftMany([at(1, 0, 359_999)], [0], 5);
    expect([last?.cues[0]?.end, last?.limitedBy?.limit]).toEqual([359_999.999, 0.999]);
    // Captions that overlap are not moved the other way.
    const overlapping = [at(1, 0, 3), at(2, 2, 4)];
    const limits = [edits.shiftMany(overlapping, [1], -1), edits.shiftMany(overlapping, [0], 1)];
    expect(limits.map((each) => each?.limitedBy?.limit)).toEqual([0, 0]);
    expect(edits.shiftMany(three, [], 1)).toBeNull();
    expect(edits.shiftMany(three, [1], Number.NaN)).toBeNull();
  });
  test('are moved into those beside them, which become no shorter than can be read', () => {
    const { times, limitedBy } = made(edits.shiftMany(three, [1, 2], -1, settings));
    expect([times.slice(0, 2), limitedBy]).toEqual([
      [
        [0, 1.016],
        [1.1, 3],
      ],
      null,
    ]);
    const far = edits.shiftMany(three, [1, 2], -5, settings);
    expect(far?.limitedBy).toMatchObject({ many: true });
    expect(made(far).times[0]).toEqual([0, settings.minDuration]);
  });
  test('never overlap, and lose no word', () => {
    fc.assert(
      fc.property(
        someCues,
        fc.array(fc.nat(11)),
        fc.double({ min: -9, max: 9, noNaN: true }),
        (cues, some, by) => {
          const chosen = [...new Set(some.map((each) => each % cues.length))].toSorted(
            (a, b) => a - b,
          );
          const shifted = edits.shiftMany(cues, chosen, by);
          const splice = shifted && edits.retime(cues, shifted);
          const after = splice ? applySplice(cues, splice) : cues;
          for (const [index, { start, end }] of after.entries()) {
            expect(end).toBeGreaterThan(start);
            expect(start).toBeGreaterThanOrEqual(after[index - 1]?.end ?? 0);
          }
          const merged = edits.mergeMany(cues, chosen, settings, 'en');
          if (merged) expect(wordsOf(applySplice(cues, merged))).toBe(wordsOf(cues));
        },
      ),
      { numRuns: rounds(60) },
    );
  });
});

describe('an edge', () => {
  test('never makes captions overlap, in any mode', () => {
    const mode = fc.constantFrom(
      'push' as const,
      'roll' as const,
      'ripple' as const,
      'free' as const,
    );
    const edge = fc.constantFrom('start' as const, 'end' as const);
    fc.assert(
      fc.property(
        someCues,
        mode,
        edge,
        fc.nat(11),
        fc.double({ min: 0, max: 60, noNaN: true }),
        (cues, way, side, some, time) => {
          const index = some % cues.length;
          for (const retiming of [
            edits.setEdge(way, cues, index, side, time, settings),
            edits.moveCue(way, cues, index, time - 30, settings),
          ]) {
            const splice = retiming && edits.retime(cues, retiming);
            const after = splice ? applySplice(cues, splice) : cues;
            expect(after).toHaveLength(cues.length);
            for (const [at, cue] of after.entries()) {
              expect(cue.end).toBeGreaterThan(cue.start);
              expect(cue.start).toBeGreaterThanOrEqual(after[at - 1]?.end ?? 0);
            }
          }
        },
      ),
      { numRuns: rounds(100) },
    );
  });
});

describe('warnings are fixed, one and all', () => {
  const penaltyOf = (cues: readonly ReviewCue[]): number =>
    cues.reduce(
      (sum, cue, index) => sum + assessCue(cue, cues[index + 1], settings, 'en').penalty,
      0,
    );

  const fixed = (cues: readonly ReviewCue[]): readonly ReviewCue[] =>
    (fixAll(cues, rules(99))?.splices ?? []).reduce(applySplice, cues);

  const wordsOf = (cues: readonly ReviewCue[]): string[] => texts(cues).join(' ').split(/\s+/);

  test('for any captions: no word is lost, captions stay in order, and the score does not get worse', () => {
    fc.assert(
      fc.property(someCues, (cues) => {
        const made = fixAll(cues, rules(99));
        const now = fixed(cues);
        expect(wordsOf(now)).toEqual(wordsOf(cues));
        expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
        for (const [index, cue] of now.entries()) {
          expect(cue.end).toBeGreaterThan(cue.start);
          expect(cue.start).toBeGreaterThanOrEqual(now[index - 1]?.end ?? 0);
        }
        // Every single fix gains something.
        let before: readonly ReviewCue[] = cues;
        for (const splice of made?.splices ?? []) {
          const after = applySplice(before, splice);
          expect(penaltyOf(after)).toBeLessThan(penaltyOf(before));
          before = after;
        }
      }),
    );
  });

  test('a caption whose one line is too long gets two, and is counted once', () => {
    const long = 'They shipped an MCP server for the team last night at nine.';
    const cues = [at(1, 0, 5, long), at(2, 6, 8, 'Good night.')];
    expect(fixAll(cues, rules(99))?.captions).toBe(1);
    expect(texts(fixed(cues))[0]).toContain('\n');
  });

  test('if nothing can be fixed there is no edit', () => {
    expect(fixAll([at(1, 0, 2, 'Good night.')], rules(99))).toBeNull();
  });

  describe('a caption is extended for reading', () => {
    const words = 'Twenty characters ok';
    const extended = (cues: readonly ReturnType<typeof at>[], index = 0, speed = 10) => {
      const splice = extendForReading(cues, index, speed, settings);
      return splice && [splice.inserted[0]!.start, splice.inserted[0]!.end];
    };
    test('to its end, then to its beginning, and into the gaps last', () => {
      expect(extended([at(1, 0, 1, words)])).toEqual([0, 2]);
      expect(extended([at(1, 0, 1, words), at(2, 1.5, 3)])).toEqual([0, 1.5]);
      expect(extended([at(1, 0, 1, 'a'), at(2, 1.5, 2.5, words), at(3, 3, 4)], 1)).toEqual([1, 3]);
      expect(extended([at(1, 0, 0.2, 'a'), at(2, 1.5, 2.5, words), at(3, 3, 4)], 1)).toEqual([
        0.916, 2.916,
      ]);
      expect(extended([at(1, 0, 2, words)])).toBeNull();
      expect(extended([at(1, 0, 3, words)])).toBeNull();
    });

    test('to no more than the longest, and no less than the shortest duration', () => {
      expect(extended([at(1, 0, 1, words)], 0, 1)).toEqual([0, 6]);
      expect(extended([at(1, 0, 0.1, 'a')])).toEqual([0, 0.8]);
      expect([extended([], 0), extended([at(1, 0, 1, words)], 0, 0)]).toEqual([null, null]);
    });
  });

  describe('a warning is fixed', () => {
    const fixed = (
      flag: Parameters<typeof fixFor>[0],
      cues: readonly ReturnType<typeof at>[],
      index = 0,
      words = rules().words,
    ) =>
      fixFor(flag, cues, index, rules(50, words))?.inserted.map(({ start, end, lines }) => [
        start,
        end,
        lines.join('|'),
      ]) ?? null;
    test('of a caption that lasts into a silence, by ending it earlier', () => {
      const heard = [{ text: 'Hello', start: 0, end: 0.5 }];
      expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, heard)).toEqual([
        [0, 6, 'Hello'],
      ]);
      // The duration of its speech is unknown, and a single word cannot be divided.
      expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')])).toEqual([[0, 6, 'Hello']]);
      expect(fixed('duration_above_maximum', [at(1, 0, 6, 'Hello')])).toBeNull();
      expect(fixed('duration_above_maximum', [])).toBeNull();
      const until = [heard[0]!, { text: 'there', start: 5.5, end: 6 }];
      expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello there')], 0, until)).toEqual([
        [0, 6, 'Hello there'],
      ]);
      const late = [{ text: 'Hello', start: 0, end: 7 }];
      expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, late)).toEqual([
        [0, 6, 'Hello'],
      ]);
    });

    test('of one that is too short or too fast, by showing it longer, if that is better', () => {
      expect(fixed('duration_below_minimum', [at(1, 0, 0.5, 'Hi.')])).toEqual([[0, 0.8, 'Hi.']]);
      expect(fixed('reading_speed_high', [at(1, 0, 0.5, 'Hi.'), at(2, 0.5, 2)])).toBeNull();
      expect(fixed('duration_below_minimum', [], 0)).toBeNull();
      // Still far too fast, and as bad as before.
      const eighty = `${'word '.repeat(8).trim()}\n${'word '.repeat(8).trim()}`;
      expect(fixed('reading_speed_high', [at(1, 0, 1, eighty), at(2, 1.2, 3)])).toBeNull();
      // The worst does not show that it is better.
      const five = 'one\ntwo\nthree\nfour\nthen some more words to read';
      expect(fixed('reading_speed_high', [at(1, 0, 0.5, five), at(2, 1, 3)])).toEqual([
        [0, 1, five.replaceAll('\n', '|')],
      ]);
    });

    test('of awkward line breaks, only if the new ones are better', () => {
      expect(
        fixed('dangling_line_break', [
          at(1, 0, 3, 'We went to the\nhouse and had a look at the garden.'),
        ]),
      ).toEqual([[0, 3, 'We went to the house|and had a look at the garden.']]);
      expect(fixed('dangling_line_break', [at(1, 0, 3, 'Fine.')])).toBeNull();
      // The caption itself ends in a small word of the next.
      const cues = [at(1, 0, 3, 'We went to the\nhouse and then saw the'), at(2, 3, 5, 'garden.')];
      expect(fixed('dangling_line_break', cues)).toBeNull();
      expect(fixed('dangling_line_break', cues.slice(0, 1))).not.toBeNull();
    });

    test('of text for more than two lines, by dividing it', () => {
      const long =
        'We went to the house and had a look at the garden, and then all of us went home again by train.';
      const made = fixed('line_length_above_maximum', [at(1, 0, 6, long)])!;
      expect(made.length).toBe(2);
      expect(
        made
          .map(([, , lines]) => lines)
          .join(' ')
          .replaceAll('|', ' '),
      ).toBe(long);
      const word = 'x'.repeat(50);
      expect(fixed('line_length_above_maximum', [at(1, 0, 6, `${word} and more`)])).toHaveLength(2);
      // Nothing shorter than two milliseconds can be divided.
      const [[, , lines] = []] = fixed('line_length_above_maximum', [at(1, 0, 0.001, long)])!;
      expect(String(lines).split('|').length).toBeGreaterThan(2);
    });
  });

  describe('the check by a profile', () => {
    const profile = profileOf('netflix', 'en');
    const fast = 'So many words that nobody could ever read them all.';
    test('reports each violation with its fix, by positions from the first caption', () => {
      const cues = [
        ...cuesOf('One', 'Two', 'Three', 'Four').map((cue) => ({ ...cue, end: cue.end - 0.5 })),
        at(5, 12, 13, fast),
        at(6, 20, 22),
      ];
      const checker = new ProfileChecker(profile, { shots: [] });
      const found = checker.check(cues, () => false)!;
      const violation = found
        .get(5)!
        .find(({ fix }) => fix?.some(({ caption }) => caption.end > 13));
      expect(violation!.at).toBe(4);
      expect(violation!.fix?.map(({ at: place }) => place)).toEqual([4]);
      const made = checker.fix(cues, 4, violation!.rule)!;
      expect(
        made.map(({ at: place, inserted }) => [place, inserted[0]!.id, inserted[0]!.end > 13]),
      ).toEqual([[4, 5, true]]);
      expect(checker.fix(cues, 0, violation!.rule)).toBeNull();
      const looks = { speakers: ['Ann'], placement: { vertical: 'top' } } as const;
      const named = cues.with(4, { ...cues[4]!, ...looks });
      expect(checker.fix(named, 4, violation!.rule)![0]!.inserted[0]).toMatchObject(looks);
      expect(checker.violationsAt(cues, 9)).toEqual([]);
    });
  });
});
