import { describe, expect, test } from 'bun:test';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { applySplice, invertSplice } from '../../../web/review/model/splice.ts';
import { tidyCues } from '../../../web/review/model/tidy.ts';
import { after, at, cuesOf, retimed, rules, settings, texts, times } from './support.ts';

describe('a splice', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  test('can be undone by its inverse', () => {
    const splice = { at: 1, removed: [cues[1]!], inserted: [] };
    expect(applySplice(applySplice(cues, splice), invertSplice(splice))).toEqual(cues);
  });
  test('is refused if other cues are there', () => {
    for (const at of [0, 2, 3, -1, 0.5]) {
      expect(() => applySplice(cues, { at, removed: [cues[1]!], inserted: [] })).toThrow(
        RangeError,
      );
    }
  });
});

describe('the text', () => {
  test('is kept as typed, and tidied for a file', () => {
    const cues = after(cuesOf('One', 'Two'), edits.setText(cuesOf('One', 'Two'), 0, 'One \n\n'));
    expect(cues[0]?.lines).toEqual(['One ', '', '']);
    expect(tidyCues(cues).map(({ lines }) => lines)).toEqual([['One'], ['Two']]);
    expect(tidyCues(after(cues, edits.setText(cues, 0, ' \n')))).toHaveLength(1);
  });
  test('that is unchanged is no edit', () => {
    expect(edits.setText(cuesOf('One\nTwo'), 0, 'One\nTwo')).toBeNull();
    expect(edits.setText(cuesOf('One'), 1, 'One')).toBeNull();
  });
  test('is re-broken', () => {
    const cues = cuesOf('We went to the\nhouse and had a look at the garden.');
    expect(texts(after(cues, edits.rebreak(cues, 0, settings, 'en')))).toEqual([
      'We went to the house\nand had a look at the garden.',
    ]);
  });
});

describe('times', () => {
  const cues = [at(1, 0, 2), at(2, 3, 5), at(3, 6, 8)];
  const set = (index: number, wanted: { start?: number; end?: number }, of = cues) =>
    edits.setTimes(of, index, wanted, settings);
  test.each([
    [{ start: 2.5004 }, [0, 2], [2.5, 5], [6, 8], null],
    [{ start: 2.05 }, [0, 1.966], [2.05, 5], [6, 8], null],
    [{ start: 1 }, [0, 0.916], [1, 5], [6, 8], null],
    [{ end: 7 }, [0, 2], [3, 7], [7.084, 8], null],
    [{ start: 0.5 }, [0, 0.8], [0.884, 5], [6, 8], ['previous', 'start', 0.884]],
    [{ end: 9 }, [0, 2], [3, 7.116], [7.2, 8], ['next', 'end', 7.116]],
    [{ start: 9 }, [0, 2], [4.999, 5], [6, 8], ['own', 'start', 4.999]],
    [{ end: 1 }, [0, 2], [3, 3.001], [6, 8], ['own', 'end', 3.001]],
    [{ start: 5.5, end: 5.2 }, [0, 2], [5.199, 5.2], [6, 8], ['own', 'start', 5.199]],
    [
      { start: -1, end: Infinity },
      [0, 0.8],
      [0.884, 7.116],
      [7.2, 8],
      ['previous', 'start', 0.884],
    ],
  ] as const)("%p move the neighbours' edges along", (wanted, before, own, next, limitedBy) => {
    const made = set(1, wanted);
    expect(times(after(cues, retimed(cues, made)))).toEqual(
      [before, own, next].map((each) => [...each]),
    );
    expect(
      made?.limitedBy ? [made.limitedBy.by, made.limitedBy.edge, made.limitedBy.limit] : null,
    ).toEqual(limitedBy && [...limitedBy]);
  });
  test('do not change a distant neighbour', () => {
    const made = set(1, { start: 2.084, end: 5.916 });
    expect(times(after(cues, retimed(cues, made)))).toEqual([
      [0, 2],
      [2.084, 5.916],
      [6, 8],
    ]);
  });
  test('that touch may separate, without a flickering gap', () => {
    const touching = [at(1, 0, 2), at(2, 2, 5), at(3, 5, 8)];
    expect(times(after(touching, retimed(touching, set(1, { start: 2.03 }, touching))))).toEqual([
      [0, 1.946],
      [2.03, 5],
      [5, 8],
    ]);
    const made = set(1, { end: 4.5 }, touching);
    expect(times(after(touching, retimed(touching, made)))[1]).toEqual([2, 4.5]);
    // A neighbour that cannot become shorter stays unchanged.
    const short = [at(1, 1.2, 2), at(2, 2, 5)];
    expect(times(after(short, retimed(short, set(1, { start: 2.03 }, short))))).toEqual([
      [1.2, 2],
      [2.03, 5],
    ]);
  });
  test('stop if a neighbour is at its minimum', () => {
    const tight = [at(1, 1, 1.5), at(2, 1.5, 4), at(3, 4, 4.8)];
    for (const [wanted, by, limit] of [
      [{ start: 1.4 }, 'previous', 1.5],
      [{ end: 4.1 }, 'next', 4],
    ] as const) {
      const made = set(1, wanted, tight);
      expect(retimed(tight, made)).toBeNull();
      expect([made?.limitedBy?.by, made?.limitedBy?.limit]).toEqual([by, limit]);
    }
  });
  test('that are unchanged or invalid are no edit', () => {
    expect(retimed(cues, set(1, { start: 3.0001 }))).toBeNull();
    expect(set(1, { start: Number.NaN })).toBeNull();
    expect(set(3, { start: 1 })).toBeNull();
  });
  test('stay within the possible times', () => {
    const last = set(2, { end: 1e9 });
    expect(times(after(cues, retimed(cues, last)))[2]).toEqual([6, 359_999.999]);
    expect(last?.limitedBy?.by).toBe('clock');
    expect(set(0, { start: -1 })?.limitedBy).toEqual({ by: 'clock', edge: 'start', limit: 0 });
  });
  test("are nudged with their length, moving the neighbour's edge", () => {
    const nudged = (index: number, by: number) => edits.nudge(cues, index, by, settings);
    expect(times(after(cues, retimed(cues, nudged(1, 0.1))))[1]).toEqual([3.1, 5.1]);
    expect(times(after(cues, retimed(cues, nudged(1, 2))))).toEqual([
      [0, 2],
      [5, 7],
      [7.084, 8],
    ]);
    expect(times(after(cues, retimed(cues, nudged(1, -4))))).toEqual([
      [0, 0.8],
      [0.884, 2.884],
      [6, 8],
    ]);
    expect(nudged(1, -4)?.limitedBy).toEqual({ by: 'previous', edge: 'move', limit: -2.116 });
    expect(nudged(1, 4)?.limitedBy).toEqual({ by: 'next', edge: 'move', limit: 2.116 });
    expect(retimed(cues, nudged(0, -1))).toBeNull();
    expect(nudged(0, -1)?.limitedBy?.by).toBe('clock');
    expect(nudged(2, 1e9)?.limitedBy?.by).toBe('clock');
  });
  test('are shifted for a cue and all following ones', () => {
    const shifted = (by: number) => edits.shift(cues, 1, by, settings);
    expect(times(after(cues, retimed(cues, shifted(0.25))))).toEqual([
      [0, 2],
      [3.25, 5.25],
      [6.25, 8.25],
    ]);
    expect(times(after(cues, retimed(cues, shifted(-1.5))))).toEqual([
      [0, 1.416],
      [1.5, 3.5],
      [4.5, 6.5],
    ]);
    expect(shifted(-3)?.limitedBy).toEqual({ by: 'previous', edge: 'move', limit: -2.116 });
    expect(shifted(1e9)?.limitedBy?.by).toBe('clock');
    expect(edits.shift(cues, 0, -1, settings)?.limitedBy?.by).toBe('clock');
  });
  test('of one drag replace the same cues, so they are one step', () => {
    const [near, far] = [set(1, { start: 2.9 }), set(1, { start: 1 })];
    expect([near?.at, near?.cues.length]).toEqual([far?.at, far?.cues.length]);
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
  test('and never shortened', () => {
    expect(edits.extendForReading([at(1, 0, 9)], 0, 20, settings)).toBeNull();
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

test('the result of an edit is written unchanged', () => {
  const cues = after(cuesOf('One', 'Two'), edits.setText(cuesOf('One', 'Two'), 1, 'Zwei'));
  expect(toSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:05,000\nZwei\n',
  );
});
