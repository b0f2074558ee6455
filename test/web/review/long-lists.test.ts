/** The window of a long list, captions by their time, and steps of typing. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cueAt, lastStartedAt, timeAt } from '../../../web/review/model/cue.ts';
import { TypingGroups } from '../../../web/review/desk/cue-row.tsx';
import { layout, visibleRows } from '../../../web/review/desk/cue-list.tsx';

const cue = (id: number, start: number, end: number) => ({ id, start, end, lines: ['word word'] });

describe('the window of a long list', () => {
  const heights = fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 1, maxLength: 400 });

  test('contains every visible row, and few others', () => {
    fc.assert(
      fc.property(heights, fc.nat(60_000), fc.integer({ min: 1, max: 2000 }), (rows, y, view) => {
        const tops = layout(rows.length, (index) => rows[index] ?? 0);
        const [from, to] = visibleRows(tops, y, view);
        for (const [index, height] of rows.entries()) {
          const [top, bottom] = [tops[index] ?? 0, (tops[index] ?? 0) + height];
          if (bottom > y && top < y + view) expect(index >= from && index < to).toBe(true);
        }
        const shown = (tops[to] ?? 0) - (tops[from] ?? 0);
        expect(shown).toBeLessThanOrEqual(view + 2 * 400 + 2 * 300);
      }),
    );
  });

  test('of no rows is empty', () => {
    expect(
      visibleRows(
        layout(0, () => 1),
        0,
        100,
      ),
    ).toEqual([0, 0]);
  });
});

describe('captions by time', () => {
  const cues = [cue(1, 1, 2), cue(2, 2, 3), cue(3, 5, 6)];
  test.each([
    [0.5, -1, undefined],
    [1, 0, 1],
    [1.999, 0, 1],
    [2, 1, 2],
    [3, 1, undefined],
    [5.5, 2, 3],
    [9, 2, undefined],
  ] as const)('at %d s', (time, last, shown) => {
    expect(lastStartedAt(cues, time)).toBe(last);
    expect(cueAt(cues, time)?.id).toBe(shown);
  });

  test('a word has its share of the time', () => {
    expect(timeAt(cue(1, 10, 19), 0)).toBe(10);
    expect(timeAt(cue(1, 10, 19), 5)).toBe(15);
    expect(timeAt({ ...cue(1, 10, 19), lines: [''] }, 0)).toBe(10);
  });
});

describe('typing', () => {
  test('is one step for each word, and a new one in another caption or after leaving', () => {
    const groups = new TypingGroups();
    const first = groups.groupOf(1, 'one w');
    expect(groups.groupOf(1, 'one wo')).toBe(first);
    const space = groups.groupOf(1, 'one wo ');
    expect(space).not.toBe(first);
    expect(groups.groupOf(1, 'one wo t')).toBe(space);
    expect(groups.groupOf(1, 'one wo ')).toBe(space);
    const other = groups.groupOf(2, 'one');
    expect(other).not.toBe(space);
    groups.end();
    expect(groups.groupOf(2, 'one')).not.toBe(other);
  });

  test('starts a new step after a pause of more than a second', () => {
    let now = 5000;
    const groups = new TypingGroups(() => now);
    const first = groups.groupOf(1, 'o');
    now += 1000;
    expect(groups.groupOf(1, 'on')).toBe(first);
    now += 1001;
    const later = groups.groupOf(1, 'one');
    expect(later).not.toBe(first);
    now += 10;
    expect(groups.groupOf(1, 'ones')).toBe(later);
  });
});
