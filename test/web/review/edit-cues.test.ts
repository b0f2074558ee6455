import { describe, expect, test } from 'bun:test';
import * as edits from '../../../web/review/model/edits.ts';
import { after, at, settings, times } from './support.ts';

describe('a new cue', () => {
  const cues = [at(1, 5, 6), at(2, 7, 8), at(3, 8.5, 10)];
  test.each([
    [-1, [2.916, 4.916]],
    [0, [6.084, 6.916]],
    [2, [10.084, 12.084]],
  ])('after %p is in the gap, for at most two seconds', (index, expected) => {
    const made = after(cues, edits.insertAfter(cues, index, 9, settings))[index + 1];
    expect([made?.id, made?.start, made?.end, made?.lines]).toEqual([9, ...expected, ['']]);
  });
  test('gets the time that its neighbours do not need', () => {
    // 0.332 s are free, so 0.468 s are missing: the first can spare 0.2 s, the other 0.7 s.
    expect(times(after(cues, edits.insertAfter(cues, 1, 9, settings)))).toEqual([
      [5, 6],
      [7, 7.896],
      [7.98, 8.78],
      [8.864, 10],
    ]);
  });
  test('takes more time from the neighbour that can spare more', () => {
    const uneven = [at(1, 0, 4), at(2, 4.084, 6.084)];
    const [one, made, other] = after(uneven, edits.insertAfter(uneven, 0, 9, settings));
    expect(made!.end - made!.start).toBeCloseTo(0.8, 6);
    expect(made!.start - one!.end).toBeCloseTo(0.084, 6);
    expect(other!.start - made!.end).toBeCloseTo(0.084, 6);
    expect(4 - one!.end).toBeGreaterThan(other!.start - 4.084);
  });
  test('leaves a neighbour its reading time if the other can spare more', () => {
    const slow = [at(1, 0, 2, 'x'.repeat(30)), at(2, 2, 4)];
    // 0.968 s are missing; the first can spare 0.5 s, the other 1.2 s.
    expect(after(slow, edits.insertAfter(slow, 0, 9, settings))[0]?.end).toBe(1.715);
  });
  test('shortens its neighbours to the minimum if reading leaves no time', () => {
    const long = 'x'.repeat(80);
    const full = [at(1, 0, 2, long), at(2, 2, 4, long)];
    const made = after(full, edits.insertAfter(full, 0, 9, settings));
    expect(made.map(({ start, end }) => Math.round((end - start) * 1000))).toEqual([
      1516, 800, 1516,
    ]);
  });
  test('is not possible if the neighbours cannot spare the time, or without a cue', () => {
    const short = [at(1, 0, 0.9), at(2, 1, 1.9)];
    expect(edits.insertAfter(short, 0, 9, settings)).toBeNull();
    expect(edits.insertAfter(cues, 3, 9, settings)).toBeNull();
  });
  test('before the first takes time from the first', () => {
    const early = [at(1, 0.2, 4)];
    expect(times(after(early, edits.insertAfter(early, -1, 9, settings)))).toEqual([
      [0, 0.8],
      [0.884, 4],
    ]);
  });
  test('of the last may reach the end of the clock', () => {
    const last = [at(1, 359_990, 359_999.115)];
    expect(times(after(last, edits.insertAfter(last, 0, 9, settings)))).toEqual([
      [359_990, 359_999.115],
      [359_999.199, 359_999.999],
    ]);
  });
  test('takes exactly what its neighbours can spare', () => {
    const tight = [at(1, 0, 1.2), at(2, 1.2, 2.568)];
    expect(times(after(tight, edits.insertAfter(tight, 0, 9, settings)))).toEqual([
      [0, 0.8],
      [0.884, 1.684],
      [1.768, 2.568],
    ]);
    const less = [at(1, 0, 1.199), at(2, 1.199, 2.567)];
    expect(edits.insertAfter(less, 0, 9, settings)).toBeNull();
  });
  test('leaves Chinese the time that its characters need', () => {
    // 9 characters a second: the first needs 2 s, and the other gives everything.
    const slow = [at(1, 0, 2, '我们昨天晚上发布了服务器因为大家都等'), at(2, 2, 4)];
    expect(after(slow, edits.insertAfter(slow, 0, 9, settings))[0]?.end).toBe(2);
  });
  test('at the end keeps the gap to the last', () => {
    const make = (from: number) => edits.insertAtEnd(cues, from, 9).inserted[0]!.start;
    expect([make(10.05), make(10.2)]).toEqual([10.084, 10.2]);
    expect(edits.insertAtEnd([], 0.5, 1).inserted[0]!.start).toBe(0.5);
  });
  test('may be the only one', () => {
    expect(times(after([], edits.insertAfter([], -1, 1, settings)))).toEqual([[0, 2]]);
  });
});
