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
  rules,
  settings,
  someCues,
  texts,
  times,
  wordsOf,
  edits,
  expectInOrder,
  spans,
} from './support.ts';
import { describe, expect, test } from 'bun:test';
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { fixFor, fixAll } from '../../../web/review/model/fix.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import fc from 'fast-check';
import { rounds } from '../../support/fuzz.ts';

/** A gap of a second, and a cut with a gap of a fifth of one. */
const CUES = [at(1, 0, 2), at(2, 3, 5), at(3, 5.2, 8)];

const limits = { minDuration: 1 };

/** The number of the first caption, the times from there on, and the limit: its cause, the edge and the time. */
const told = (made: Retiming | null) =>
  made && {
    first: made.at + 1,
    times: spans(made.cues),
    limitedBy:
      made.limitedBy &&
      [
        made.limitedBy.by,
        made.limitedBy.edge,
        made.limitedBy.limit,
        ...(made.limitedBy.stays ? ['stays'] : []),
      ].join(' '),
  };

test('a splice is refused if other cues are there', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  for (const at of [0, 2, 3, -1, 0.5]) {
    expect(() => applySplice(cues, { at, removed: [cues[1]!], inserted: [] })).toThrow(RangeError);
  }
});

test('times snap to the neighbour, two frames away', () => {
  const cues = [at(1, 0, 2), at(2, 3, 5), at(3, 6, 8)];
  expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'end')))[1]).toEqual([3, 5.916]);
  expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'start')))[1]).toEqual([2.084, 5]);
  expect(edits.snapToNeighbour(cues, 0, 'start')).toBeNull();
  const touching = [at(1, 0, 2), at(2, 2, 3)];
  expect(edits.snapToNeighbour(touching, 0, 'end')).toBeNull();
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
    ['push', 2, 'start', 1.5, 1, '0-1.416 1.5-5 5.2-8', null],
    ['push', 2, 'start', 0.5, 1, '0-1 1.084-5 5.2-8', 'previous start 1.084'],
    ['push', 2, 'start', 6, 1, '0-2 4.999-5 5.2-8', 'own start 4.999'],
    ['push', 2, 'end', 6, 1, '0-2 3-6 6.084-8', null],
    ['push', 2, 'end', 7.5, 1, '0-2 3-6.916 7-8', 'next end 6.916'],
    ['push', 1, 'start', -1, 1, '0-2 3-5', 'clock start 0'],
    ['push', 3, 'start', 4.4, 2, '3-4.316 4.4-8', null],
    ['roll', 2, 'end', 5.1, 2, '3-5.1 5.3-8', null],
    ['roll', 2, 'end', 6, 2, '3-6 6.2-8', null],
    ['roll', 2, 'end', 7.5, 2, '3-6.8 7-8', 'next end 6.8'],
    ['roll', 3, 'start', 4.4, 2, '3-4.2 4.4-8', null],
    ['ripple', 2, 'start', 1.5, 1, '0-1.416 1.5-3.5 3.7-6.5', null],
    ['ripple', 2, 'start', 0.5, 1, '0-1 1.084-3.084 3.284-6.084', 'previous move -1.916'],
    ['ripple', 2, 'start', 6, 1, '0-2 6-8 8.2-11', null],
    ['ripple', 2, 'end', 6, 2, '3-6 6.2-9', null],
    ['ripple', 1, 'start', -1, 1, '0-2 3-5 5.2-8', 'clock move 0'],
    ['ripple', 3, 'start', 4.4, 2, '3-4.316 4.4-7.2', null],
    ['free', 2, 'start', 1.5, 2, '2-5', 'previous start 2 stays'],
    ['free', 2, 'start', 6, 2, '4.999-5', 'own start 4.999'],
    ['free', 2, 'end', 5.1, 2, '3-5.1', null],
    ['free', 2, 'end', 6, 2, '3-5.2', 'next end 5.2 stays'],
    ['free', 1, 'start', -1, 1, '0-2', 'clock start 0'],
    ['free', 3, 'start', 4.4, 3, '5-8', 'previous start 5 stays'],
  ])('%s: of caption %p, the %s to %p', (mode, caption, edge, to, first, times, limitedBy) => {
    expect(told(setEdge(mode, CUES, caption - 1, edge, to, limits))).toEqual({
      first,
      times,
      limitedBy,
    });
  });

  test('of a missing caption, to an invalid time, or by less than a millisecond, is not moved', () => {
    expect(edits.retime(CUES, setEdge('push', CUES, 1, 'start', 3.0001, limits)!)).toBeNull();
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
    ['push', 2, -2.5, 1, '0-1 1.084-3.084 5.2-8', 'previous move -1.916'],
    ['push', 2, 1, 1, '0-2 4-6 6.084-8', null],
    ['push', 2, 3, 1, '0-2 4.916-6.916 7-8', 'next move 1.916'],
    ['push', 1, -1, 1, '0-2 3-5', 'clock move 0'],
    ['ripple', 2, -0.5, 1, '0-2 2.5-4.5 4.7-7.5', null],
    ['ripple', 2, -2.5, 1, '0-1 1.084-3.084 3.284-6.084', 'previous move -1.916'],
    ['ripple', 2, 3, 1, '0-2 6-8 8.2-11', null],
    ['free', 2, -0.5, 2, '2.5-4.5', null],
    ['free', 2, -2.5, 2, '2-4', 'previous move -1 stays'],
    ['free', 2, 1, 2, '3.2-5.2', 'next move 0.2 stays'],
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
  const splice = edits.retime(three, retiming!);
  return spans(splice ? applySplice(three, splice) : three);
};

describe('several captions', () => {
  test('are merged only if they are adjacent', () => {
    const merged = edits.mergeMany(three, [0, 1, 2], settings, 'en');
    expect(texts(merged ? applySplice(three, merged) : [])).toEqual(['One two three.', 'Four']);
    for (const chosen of [[0, 2], [1], [0, 1, 3]])
      expect(edits.mergeMany(three, chosen, settings, 'en')).toBeNull();
  });
  test('are moved as far as the others allow', () => {
    expect(made(edits.shiftMany(three, [1, 2], 0.5))).toBe('0-2 2.6-4.5 5.5-7.5 9-11');
    const back = edits.shiftMany(three, [1, 2], -5);
    expect(made(back)).toStartWith('0-2 2-3.9 ');
    expect(back?.limitedBy).toMatchObject({ many: true, limit: -0.1 });
    // A caption that is not selected stays, even between selected ones.
    expect(made(edits.shiftMany(three, [0, 2], 0.05))).toBe('0.05-2.05 2.1-4 5.05-7.05 9-11');
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
    const near = edits.shiftMany(three, [1, 2], -1, settings);
    expect([made(near), near?.limitedBy]).toEqual(['0-1.016 1.1-3 4-6 9-11', null]);
    const far = edits.shiftMany(three, [1, 2], -5, settings);
    expect(far?.limitedBy).toMatchObject({ many: true });
    expect(made(far)).toStartWith(`0-${settings.minDuration} `);
  });
});

test('captions never overlap, whichever are moved and how, and lose no word', () => {
  const mode = fc.constantFrom(...(['push', 'roll', 'ripple', 'free'] as const));
  const edge = fc.constantFrom(...(['start', 'end'] as const));
  const time = fc.double({ min: 0, max: 60, noNaN: true });
  fc.assert(
    fc.property(
      someCues,
      mode,
      edge,
      fc.array(fc.nat(11), { minLength: 1 }),
      time,
      (cues, way, side, some, to) => {
        const chosen = [...new Set(some.map((each) => each % cues.length))].toSorted(
          (a, b) => a - b,
        );
        for (const retiming of [
          edits.setEdge(way, cues, chosen[0]!, side, to, settings),
          edits.moveCue(way, cues, chosen[0]!, to - 30, settings),
          edits.shiftMany(cues, chosen, (to - 30) / 3),
        ]) {
          const splice = retiming && edits.retime(cues, retiming);
          const after = splice ? applySplice(cues, splice) : cues;
          expect(after).toHaveLength(cues.length);
          expectInOrder(after);
        }
        const merged = edits.mergeMany(cues, chosen, settings, 'en');
        if (merged) expect(wordsOf(applySplice(cues, merged))).toBe(wordsOf(cues));
      },
    ),
    { numRuns: rounds(100) },
  );
});

describe('all warnings are fixed', () => {
  const penaltyOf = (cues: readonly ReviewCue[]): number =>
    cues.reduce(
      (sum, cue, index) => sum + assessCue(cue, cues[index + 1], settings, 'en').penalty,
      0,
    );

  test('for any captions: no word is lost, captions stay in order, and every fix gains something', () => {
    fc.assert(
      fc.property(someCues, (cues) => {
        let now: readonly ReviewCue[] = cues;
        for (const splice of fixAll(cues, rules(99))?.splices ?? []) {
          const after = applySplice(now, splice);
          expect(penaltyOf(after)).toBeLessThan(penaltyOf(now));
          now = after;
        }
        expect(wordsOf(now)).toEqual(wordsOf(cues));
        expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
        expectInOrder(now);
      }),
    );
  });

  test('a caption whose one line is too long gets two, and is counted once', () => {
    const long = 'They shipped an MCP server for the team last night at nine.';
    const fixed = fixAll([at(1, 0, 5, long), at(2, 6, 8, 'Good night.')], rules(99));
    expect(fixed?.captions).toBe(1);
    expect(texts(fixed!.splices[0]!.inserted)[0]).toContain('\n');
    expect(fixAll([at(1, 0, 2, 'Good night.')], rules(99))).toBeNull();
  });
});

const READ = 'Twenty characters ok';
const between = (start: number, text = READ) => [
  at(1, 0, start, 'a'),
  at(2, 1.5, 2.5, text),
  at(3, 3, 4),
];

/** To its end, then to its beginning, and into the gaps last; within the longest and the shortest duration. */
test.each<[cues: ReviewCue[], index: number, speed: number, to: string | null]>([
  [[at(1, 0, 1, READ)], 0, 10, '0-2'],
  [[at(1, 0, 1, READ), at(2, 1.5, 3)], 0, 10, '0-1.5'],
  [between(1), 1, 10, '1-3'],
  [between(0.2), 1, 10, '0.916-2.916'],
  [[at(1, 0, 2, READ)], 0, 10, null],
  [[at(1, 0, 3, READ)], 0, 10, null],
  [[at(1, 0, 1, READ)], 0, 1, '0-6'],
  [[at(1, 0, 0.1, 'a')], 0, 10, '0-0.8'],
  [[at(1, 0, 1, READ)], 0, 0, null],
  [[], 0, 10, null],
])('%j: caption %d is extended for reading at %d a second to %p', (cues, index, speed, to) => {
  const splice = extendForReading(cues, index, speed, settings);
  expect(splice && spans(splice.inserted)).toBe(to);
});
