/** Times that the edges of captions snap to. */
import { describe, expect, test } from 'bun:test';
import { snapMove, snapTime } from '../../../web/review/model/snap.ts';
import { at } from './support.ts';

describe('an edge snaps', () => {
  const heard = [{ text: 'We', start: 10, end: 10.4 }];
  const snap = (
    time: number,
    edge: 'start' | 'end',
    magnets: Parameters<typeof snapTime>[2],
    reach = 0.1,
  ) => Number(snapTime(time, edge, magnets, reach).toFixed(3));
  test('to just before a word, and to just after it', () => {
    expect(snap(10.02, 'start', { words: heard })).toBe(9.96);
    expect(snap(9.87, 'start', { words: heard })).toBe(9.96);
    expect(snap(9.85, 'start', { words: heard })).toBe(9.85);
    expect(snap(10.38, 'end', { words: heard })).toBe(10.44);
    expect(snap(0.03, 'start', { words: [{ text: 'We', start: 0.01, end: 1 }] })).toBe(0);
  });

  test('to the nearest target within reach, with shots taking precedence', () => {
    expect(snap(10.05, 'start', { words: heard, shots: [10.1] })).toBe(10.1);
    expect(snap(5.5, 'start', { shots: [5, 5.42, 5.57, 6] })).toBe(5.57);
    expect(snap(5.5, 'start', { shots: [5, 5.44, 5.57, 6] })).toBe(5.44);
    // A shot at the very beginning counts too.
    const early = [{ text: 'We', start: 0.1, end: 0.5 }];
    expect(snap(0.05, 'start', { words: early, shots: [0] })).toBe(0);
    // A word that ended is a target while the next one is spoken.
    const close = [...heard, { text: 'see', start: 10.45, end: 11 }];
    expect(snap(10.5, 'end', { words: close })).toBe(10.44);
    // Of two at the same distance, the first.
    expect(snap(5.5, 'start', { shots: [5.375, 5.625] }, 0.125)).toBe(5.375);
    const many = Array.from({ length: 8 }, (_, index) => ({
      text: 'x',
      start: index,
      end: index + 0.5,
    }));
    expect([snap(3.55, 'end', { words: many }), snap(4.93, 'start', { words: many })]).toEqual([
      3.54, 4.96,
    ]);
  });

  test('to a neighbour, with the gap', () => {
    const neighbours = { before: at(1, 0, 9.9), after: at(3, 12, 14) };
    expect(snap(10, 'start', { neighbours })).toBe(9.984);
    expect(snap(11.9, 'end', { neighbours })).toBe(11.916);
    expect(snap(11.9, 'start', { neighbours })).toBe(11.9);
  });

  test('to the frame, and next to a neighbour to the frame that keeps the gap', () => {
    expect(snap(10.03, 'start', { frame: 0.04 })).toBe(10.04);
    expect(snap(10.01, 'start', { frame: 0.04 })).toBe(10);
    const neighbours = { before: at(1, 0, 9.926), after: at(3, 12, 14) };
    expect(snap(10.01, 'start', { frame: 0.04, neighbours })).toBe(10.04);
    expect(snap(9.99, 'start', { frame: 0.04, neighbours }, 0)).toBe(10);
    expect(snap(11.914, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.88);
    expect(snap(11.8, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.8);
    // A frame exactly at the gap keeps it.
    const exact = { before: at(1, 0, 0.916) };
    expect(snap(1, 'start', { frame: 0.5, neighbours: exact }, 0)).toBe(1);
  });

  test('and a whole caption snaps with the edge nearer to a target', () => {
    const cue = at(1, 5, 7);
    const move = (by: number, shots: number[]) =>
      Number(snapMove(cue, by, { shots }, 0.1).toFixed(3));
    expect(move(1, [6.05])).toBe(1.05);
    expect(move(1, [8.04])).toBe(1.04);
    expect(move(1, [6.05, 8.04])).toBe(1.04);
    expect(move(1, [6.04, 8.05])).toBe(1.04);
    expect(move(1, [6.05, 7.95])).toBe(1.05);
    expect(move(1, [])).toBe(1);
    // Of two edges that are equally near, the start.
    expect(snapMove(cue, 1, { shots: [6.125, 7.875] }, 0.125)).toBe(1.125);
    expect(Number(snapMove(cue, 1.01, { frame: 0.04 }, 0.1).toFixed(3))).toBe(1);
  });
});
