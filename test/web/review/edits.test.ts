import { describe, expect, test } from 'bun:test';
import { toSrt } from '../../../server/captions/srt.ts';
import { assessCue } from '../../../server/captions/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { applySplice, invertSplice } from '../../../web/review/model/splice.ts';
import { tidyCues } from '../../../web/review/model/tidy.ts';
import { after, at, cuesOf, settings, texts, times } from './support.ts';

describe('a splice', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  test('is undone by its inverse', () => {
    const splice = { at: 1, removed: [cues[1]!], inserted: [] };
    expect(applySplice(applySplice(cues, splice), invertSplice(splice))).toEqual(cues);
  });
  test('is refused where other cues stand', () => {
    for (const at of [0, 2, 3, -1, 0.5]) {
      expect(() => applySplice(cues, { at, removed: [cues[1]!], inserted: [] })).toThrow(
        RangeError,
      );
    }
  });
});

describe('the text', () => {
  test('is kept as it is typed, and tidied for a file', () => {
    const cues = after(cuesOf('One', 'Two'), edits.setText(cuesOf('One', 'Two'), 0, 'One \n\n'));
    expect(cues[0]?.lines).toEqual(['One ', '', '']);
    expect(tidyCues(cues).map(({ lines }) => lines)).toEqual([['One'], ['Two']]);
    expect(tidyCues(after(cues, edits.setText(cues, 0, ' \n')))).toHaveLength(1);
  });
  test('that is the same is no edit', () => {
    expect(edits.setText(cuesOf('One\nTwo'), 0, 'One\nTwo')).toBeNull();
    expect(edits.setText(cuesOf('One'), 1, 'One')).toBeNull();
  });
  test('is set anew', () => {
    const cues = cuesOf('We went to the\nhouse and had a look at the garden.');
    expect(texts(after(cues, edits.rebreak(cues, 0, settings, 'en')))).toEqual([
      'We went to the house\nand had a look at the garden.',
    ]);
  });
});

describe('times', () => {
  const cues = [at(1, 0, 2), at(2, 3, 5), at(3, 6, 8)];
  test.each([
    [{ start: 2.5004 }, [2.5, 5]],
    [{ start: 1 }, [2, 5]],
    [{ start: 9 }, [4.999, 5]],
    [{ end: 7 }, [3, 6]],
    [{ end: 1 }, [3, 3.001]],
    [{ start: 5.5, end: 5.2 }, [5.5, 5.501]],
    [{ start: -1, end: Infinity }, [2, 6]],
  ])('%p are held between the neighbours', (wanted, expected) => {
    expect(times(after(cues, edits.setTimes(cues, 1, wanted)))[1]).toEqual(expected);
  });
  test('that stay, or are none, are no edit', () => {
    expect(edits.setTimes(cues, 1, { start: 3.0001 })).toBeNull();
    expect(edits.setTimes(cues, 1, { start: Number.NaN })).toBeNull();
    expect(edits.setTimes(cues, 3, { start: 1 })).toBeNull();
  });
  test('end with the clock', () => {
    expect(times(after(cues, edits.setTimes(cues, 2, { end: 1e9 })))[2]).toEqual([6, 359_999.999]);
  });
  test('are nudged as far as there is room, the length kept', () => {
    expect(times(after(cues, edits.nudge(cues, 1, 0.1)))[1]).toEqual([3.1, 5.1]);
    expect(times(after(cues, edits.nudge(cues, 1, 4)))[1]).toEqual([4, 6]);
    expect(edits.nudge(cues, 0, -1)).toBeNull();
  });
  test('are shifted for a cue and all that follow', () => {
    expect(times(after(cues, edits.shift(cues, 1, 0.25)))).toEqual([
      [0, 2],
      [3.25, 5.25],
      [6.25, 8.25],
    ]);
    expect(times(after(cues, edits.shift(cues, 1, -3)))[2]).toEqual([5, 7]);
  });
  test('are snapped to the neighbour, two frames from it', () => {
    expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'end')))[1]).toEqual([3, 5.916]);
    expect(times(after(cues, edits.snapToNeighbour(cues, 1, 'start')))[1]).toEqual([2.084, 5]);
    expect(edits.snapToNeighbour(cues, 0, 'start')).toBeNull();
    const touching = [at(1, 0, 2), at(2, 2, 3)];
    expect(edits.snapToNeighbour(touching, 0, 'end')).toBeNull();
  });
});

describe('a cue is extended to be read', () => {
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
  test('and never made shorter', () => {
    expect(edits.extendForReading([at(1, 0, 9)], 0, 20, settings)).toBeNull();
  });
});

describe('a new cue', () => {
  const cues = [at(1, 5, 6), at(2, 7, 8), at(3, 8.5, 9)];
  test.each([
    [-1, [3, 5]],
    [0, [6, 7]],
    [2, [9, 11]],
  ])('after %p fills the gap, for two seconds at most', (index, expected) => {
    const made = after(cues, edits.insertAfter(cues, index, 9, settings))[index + 1];
    expect([made?.id, made?.start, made?.end, made?.lines]).toEqual([9, ...expected, ['']]);
  });
  test('needs a gap of the shortest duration', () => {
    expect(edits.insertAfter(cues, 1, 9, settings)).toBeNull();
    expect(edits.insertAfter(cues, 3, 9, settings)).toBeNull();
  });
  test('may be the first of all', () => {
    expect(times(after([], edits.insertAfter([], -1, 1, settings)))).toEqual([[0, 2]]);
  });
});

test('a cue is removed', () => {
  const cues = cuesOf('One', 'Two');
  expect(texts(after(cues, edits.remove(cues, 0)))).toEqual(['Two']);
  expect(edits.remove(cues, 2)).toBeNull();
});

describe('a warning is mended', () => {
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
    expect(flags(after(cues, edits.fixFor(flag, cues, 0, settings, 'en')))).toEqual([]);
  });
  test('only where the cue is better for it', () => {
    const full = [at(1, 0, 1, 'x'.repeat(40)), at(2, 1, 2)];
    expect(edits.fixFor('reading_speed_high', full, 0, settings, 'en')).toBeNull();
    const word = [at(1, 0, 5, 'x'.repeat(60))];
    expect(edits.fixFor('line_length_above_maximum', word, 0, settings, 'en')).toBeNull();
  });
});

test('what an edit gives is written as it is', () => {
  const cues = after(cuesOf('One', 'Two'), edits.setText(cuesOf('One', 'Two'), 1, 'Zwei'));
  expect(toSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:05,000\nZwei\n',
  );
});
