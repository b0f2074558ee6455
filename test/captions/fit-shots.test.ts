/** Captions whose neighbours or speech stand in the way of a shot change, at 24 frames a second. */
import { expect, test } from 'bun:test';
import { fitShots } from '../../server/captions/rules/shots.ts';

type Times = readonly (readonly [start: number, end: number])[];

/** The times once the shots count, with those of the speech if they differ. */
function fitted(shown: Times, changes: readonly number[], longest = 168, spoken = shown): Times {
  const rules = {
    rate: 24,
    least: 20,
    longest,
    gap: 2,
    closedGap: 12,
    linger: 24,
    lead: 0,
    late: 0,
  };
  const frames = (times: Times) => times.map(([start, end]) => ({ start, end }));
  const cues = frames(spoken).map((cue) => ({ ...cue, needed: 0, comfortable: 0 }));
  const made = fitShots(frames(shown), cues, changes, { before: 2 }, rules);
  return made.map(({ start, end }) => [start, end] as const);
}

test('a start comes to a change only if that cuts less than half a second and a gap of speech', () => {
  const two: Times = [
    [60, 103],
    [105, 160],
  ];
  const secondStart = (spokenUntil: number) =>
    fitted(two, [100], 168, [[60, spokenUntil], two[1]!])[1]![0];
  expect([secondStart(111), secondStart(112)]).toEqual([100, 105]);
});

test('an end that fits neither before nor after a change comes half a second before it', () => {
  // The second caption lasts as long as it may, so it cannot begin with the change.
  const two: Times = [
    [0, 100],
    [105, 205],
  ];
  expect(fitted(two, [100], 100)).toEqual([
    [0, 88],
    [105, 205],
  ]);
});

test('far from any change, a small gap is closed rather than widened', () => {
  const two: Times = [
    [0, 100],
    [105, 160],
  ];
  expect(fitted(two, [500])).toEqual([
    [0, 103],
    [105, 160],
  ]);
});
