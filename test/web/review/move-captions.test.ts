/** Moving whole captions, and both edges at once. */
import { describe, expect, test } from 'bun:test';
import { moveCue, nudge, setTimes, shift } from '../../../web/review/model/edit-times.ts';
import { at } from './support.ts';
import { CUES, limits, told } from './retimings.ts';

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

  test('is moved in the same way with a cut as alone', () => {
    expect(moveCue('roll', CUES, 1, 1, limits)).toEqual(moveCue('push', CUES, 1, 1, limits));
  });

  test('that is missing, or by an invalid time, is not moved', () => {
    for (const mode of ['push', 'ripple', 'free'] as const) {
      expect(moveCue(mode, CUES, 3, 1, limits)).toBeNull();
      expect(moveCue(mode, CUES, 1, Number.NaN, limits)).toBeNull();
    }
  });

  test('that overlaps a neighbour already is not moved further into it', () => {
    const cues = [at(1, 0, 3), at(2, 2, 5)];
    expect(told(moveCue('free', cues, 1, -0.5, limits))).toEqual({
      first: 2,
      times: '2-5',
      limitedBy: 'previous move 0 stays',
    });
    expect(told(moveCue('free', cues, 0, 0.5, limits))?.times).toBe('0-3');
  });

  test('stops at the earliest and latest possible times without a neighbour', () => {
    const cues = [at(1, 359_990, 359_995)];
    expect(told(moveCue('free', cues, 0, 10, limits))?.limitedBy).toBe('clock move 4.999');
    expect(told(moveCue('push', cues, 0, 10, limits))?.limitedBy).toBe('clock move 4.999');
    expect(told(moveCue('ripple', cues, 0, 10, limits))?.limitedBy).toBe('clock move 4.999');
  });
});

describe('both edges at once', () => {
  const set = (start: number | undefined, end: number | undefined, of = CUES) =>
    told(
      setTimes(
        of,
        1,
        { ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
        limits,
      ),
    );
  test('are set as requested, or as far as the neighbours allow', () => {
    expect(set(2.5, 4)).toEqual({
      first: 1,
      times: '0-2 2.5-4 5.2-8',
      limitedBy: null,
    });
    expect(set(0.5, 9)).toEqual({
      first: 1,
      times: '0-1 1.084-6.916 7-8',
      limitedBy: 'previous start 1.084',
    });
    expect(set(4, 3.5)?.times).toContain('3.499-3.5');
    expect(set(4, 3.5)?.limitedBy).toBe('own start 3.499');
    expect(set(Number.NaN, 4)).toBeNull();
    expect(set(3.5, Number.NaN)).toBeNull();
  });

  test('push a neighbour only with the edge that moves', () => {
    const close = [at(1, 0, 2.95), at(2, 3, 5), at(3, 5.05, 8)];
    expect(set(undefined, 4.9, close)?.times).toEqual('0-2.95 3-4.9 5.05-8');
    expect(set(3.01, undefined, close)?.times).toEqual('0-2.926 3.01-5 5.05-8');
    expect(set(undefined, 4.99, close)?.times).toContain('5.074-8');
  });

  test('do not move a neighbour that would become too short', () => {
    const short = [at(1, 2, 2.99), at(2, 3, 5)];
    expect(set(2.999, undefined, short)).toEqual({
      first: 1,
      times: '2-2.99 3-5',
      limitedBy: 'previous start 3',
    });
  });
});

test('moving a caption and all that follow stops at the one before, and at the latest possible time', () => {
  expect(told(shift(CUES, 1, -5, limits))).toEqual({
    first: 1,
    times: '0-1 1.084-3.084 3.284-6.084',
    limitedBy: 'previous move -1.916',
  });
  expect(told(shift(CUES, 0, -1, limits))?.limitedBy).toBe('clock move 0');
  expect(told(shift([at(1, 0, 2), at(2, 359_990, 359_995)], 0, 10, limits))).toEqual({
    first: 1,
    times: '4.999-6.999 359994.999-359999.999',
    limitedBy: 'clock move 4.999',
  });
  expect([shift([], 0, 1, limits), nudge([], 0, 1, limits)]).toEqual([null, null]);
});
