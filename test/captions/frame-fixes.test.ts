/** The changes that put a caption on frames, and which neighbours move along. */
import { expect, test } from 'bun:test';
import type { Caption } from '../../server/captions/cue.ts';
import { frameFixes } from '../../server/captions/rules/frame-fixes.ts';

const at = (start: number, end: number): Caption => ({ start, end, lines: ['Yes.'] });

/** The changes at 25 frames a second, each as places with times. */
const changes = (cues: readonly Caption[], place: number) =>
  [...frameFixes(cues, place, 25)].map((change) =>
    change.map(({ at: where, caption: { start, end } }) => [where, start, end]),
  );

test('each edge goes to the nearest frame or the next nearest, the least movement first', () => {
  expect(changes([at(1.01, 2.03)], 0)).toEqual([
    [[0, 1, 2.04]],
    [[0, 1, 2]],
    [[0, 1.04, 2.04]],
    [[0, 1.04, 2]],
  ]);
});

test('an edge that is on a frame stays, or moves on by one', () => {
  expect(changes([at(1.01, 2)], 0)).toEqual([
    [[0, 1, 2]],
    [[0, 1.04, 2]],
    [[0, 1, 2.04]],
    [[0, 1.04, 2.04]],
  ]);
});

test('no edge goes before the first frame, and no caption becomes empty', () => {
  expect(changes([at(0, 0.05)], 0)).toEqual([[[0, 0, 0.04]], [[0, 0, 0.08]], [[0, 0.04, 0.08]]]);
});

test('a neighbour less than a second away moves along, and keeps about its gap', () => {
  const best = (cues: readonly Caption[], place: number) => changes(cues, place).slice(0, 2);
  expect(best([at(0, 0.52), at(1.51, 3)], 1)).toEqual([
    [[1, 1.52, 3]],
    [
      [0, 0, 0.52],
      [1, 1.52, 3],
    ],
  ]);
  expect(best([at(1, 2.01), at(3, 4)], 0)).toEqual([
    [[0, 1, 2]],
    [
      [0, 1, 2],
      [1, 3, 4],
    ],
  ]);
  const alone = (cues: readonly Caption[], place: number) =>
    changes(cues, place).every((change) => change.length === 1);
  expect([alone([at(0, 0.51), at(1.51, 3)], 1), alone([at(1, 2.01), at(3.01, 4)], 0)]).toEqual([
    true,
    true,
  ]);
});

test('a neighbour that would become empty stays', () => {
  expect(changes([at(1, 2.03), at(2.03, 2.04)], 0).slice(0, 3)).toEqual([
    [[0, 1, 2.04]],
    [[0, 1, 2]],
    [
      [0, 1, 2],
      [1, 2, 2.04],
    ],
  ]);
  expect(changes([at(1, 1.01), at(1.01, 3)], 1).slice(0, 2)).toEqual([[[1, 1, 3]], [[1, 1.04, 3]]]);
});
