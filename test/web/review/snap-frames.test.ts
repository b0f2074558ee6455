/** The frames to which edges snap next to other captions. */
import { expect, test } from 'bun:test';
import { GAP } from '../../../server/captions/divide/timing.ts';
import { snapTime } from '../../../web/review/model/snap.ts';

const frame = 1 / 25;
const neighbours = { before: { start: 1, end: 3 }, after: { start: 5, end: 7 } };

test.each([
  ['start', 3.09, 3.12],
  ['start', 3 + GAP, 3.12],
  ['end', 4.91, 4.88],
  ['end', 5 - GAP, 4.88],
] as const)('the %s at %d keeps the gap', (edge, time, snapped) => {
  expect(snapTime(time, edge, { frame, neighbours }, 0)).toBeCloseTo(snapped, 9);
});

test.each([
  ['start', 3.05, 3.04],
  ['end', 4.95, 4.96],
] as const)(
  'the %s at %d is within the gap already, and uses the nearest frame',
  (edge, time, near) => {
    expect(snapTime(time, edge, { frame, neighbours }, 0)).toBeCloseTo(near, 9);
  },
);

test.each([
  ['end', 3.09, 3.08],
  ['start', 4.91, 4.92],
] as const)('the %s at %d has no neighbour on that side', (edge, time, near) => {
  expect(snapTime(time, edge, { frame, neighbours }, 0)).toBeCloseTo(near, 9);
});

test('without neighbours an edge uses the nearest frame', () => {
  expect(snapTime(3.09, 'start', { frame }, 0)).toBeCloseTo(3.08, 9);
  expect(snapTime(4.91, 'end', { frame, neighbours: {} }, 0)).toBeCloseTo(4.92, 9);
});
