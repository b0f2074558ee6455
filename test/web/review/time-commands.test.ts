/** The commands for times, without their page. */
import { afterEach, describe, expect, test } from 'bun:test';
import { settings } from '../../../web/review/desk/settings.ts';
import { magnetsOf } from '../../../web/review/desk/time-commands.ts';
import { text } from '../../support/browser/words.ts';
import { desk } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { spoken } from './support.ts';

usePage();
afterEach(() => {
  settings.mode.value = 'push';
});

type Desk = ReturnType<typeof desk>;
const three = (): Desk => desk(['One.', 'Two.', 'Three.']);
/** Starts and ends, to a hundredth of a second. */
const times = ({ review }: Desk) =>
  review.cues.value.map(({ start, end }) =>
    [start, end].map((time) => Math.round(time * 100) / 100),
  );

test('edges snap according to the settings, and to frames only if their rate is known', () => {
  const { review } = three();
  const all = [settings.snapSpeech, settings.snapShots, settings.snapFrames];
  const before = all.map((each) => each.peek());
  let rate: number | null = 25;
  const magnets = magnetsOf(
    review,
    () => rate,
    () => [3.5],
  );
  for (const each of all) each.value = true;
  expect(magnets()).toEqual({ words: review.words, shots: [3.5], frame: 0.04 });
  rate = null;
  expect(magnets().frame).toBeUndefined();
  rate = 25;
  for (const each of all) each.value = false;
  expect(magnets()).toEqual({ words: undefined, shots: undefined, frame: undefined });
  for (const [at, each] of all.entries()) each.value = before[at]!;
});

test('a selection of two is shifted without the others, and a nudge is of the current caption', () => {
  const opened = three();
  opened.go(1);
  opened.selection.toggle(2);
  opened.commands.shift(0.5);
  expect(times(opened).map(([start]) => start)).toEqual([0.5, 3.5, 6]);
  opened.selection.clear();
  opened.go(2);
  opened.commands.nudgeEdge('end', 0.1);
  expect(opened.review.state.value.changes.at(-1)!.cueId).toBe(2);
});

describe('an edge at the playhead', () => {
  test('is set there', () => {
    const opened = three();
    opened.go(2);
    opened.playback.seek(3.4);
    opened.commands.startHere();
    opened.playback.seek(4.6);
    opened.commands.endHere();
    expect(times(opened)[1]).toEqual([3.4, 4.6]);
    opened.commands.undo();
    expect(times(opened)[1]).toEqual([3.4, 5]);
  });
  test('snaps to what is a quarter of a second away, no further', () => {
    for (const [shot, start] of [
      [3.75, 3.75],
      [3.76, 3.5],
    ] as const) {
      const opened = three();
      opened.go(2);
      opened.magnets.value = { shots: [shot] };
      opened.playback.seek(3.5);
      opened.commands.startHere();
      expect(times(opened)[1]![0]).toBe(start);
    }
  });
  test('snaps only to what is near', () => {
    const opened = three();
    opened.magnets.value = { shots: [3.5, 10], words: spoken('One two three') };
    opened.go(2);
    opened.playback.seek(3.3);
    opened.commands.startHere();
    expect(times(opened)[1]?.[0]).toBe(3.5);
    opened.playback.seek(4.2);
    opened.commands.startHere();
    expect(times(opened)[1]?.[0]).toBe(4.2);
  });
  test('does not move past the other edge, and says why', () => {
    const opened = three();
    opened.go(2);
    opened.playback.seek(7);
    opened.commands.startHere();
    expect(times(opened)[1]).toEqual([3, 5]);
    expect(opened.review.message.value).not.toBe('');
  });
  test('of a deleted caption changes nothing', () => {
    const opened = three();
    opened.review.currentId.value = null;
    opened.commands.startHere();
    expect(opened.review.message.value).toBe(text.review.cannot);
  });
});

describe('steps', () => {
  test('move a caption or an edge, and several steps are undone at once', () => {
    const opened = three();
    opened.go(2);
    opened.commands.nudge(0.1);
    opened.commands.nudge(0.1);
    expect(times(opened)[1]).toEqual([3.2, 5.2]);
    opened.commands.nudgeEdge('start', -0.1);
    opened.commands.nudgeEdge('end', 0.1);
    expect(times(opened)[1]).toEqual([3.1, 5.3]);
    opened.commands.undo();
    opened.commands.undo();
    expect(times(opened)[1]).toEqual([3.2, 5.2]);
    opened.commands.undo();
    expect(times(opened)[1]).toEqual([3, 5]);
    opened.commands.redo();
    expect(times(opened)[1]).toEqual([3.2, 5.2]);
  });
  test('go as far as possible', () => {
    const opened = three();
    opened.go(1);
    opened.commands.nudge(-0.1);
    expect(times(opened)[0]).toEqual([0, 2]);
    expect(opened.review.message.value).not.toBe('');
    opened.commands.nudge(0.05);
    opened.commands.nudge(-0.1);
    expect(times(opened)[0]).toEqual([0, 2]);
  });
  test('of a whole selection move all of it', () => {
    const opened = three();
    opened.go(2);
    opened.selection.extendTo(2);
    opened.commands.nudge(0.5);
    expect(times(opened)).toEqual([
      [0, 2],
      [3.5, 5.5],
      [6.5, 8.5],
    ]);
    opened.commands.shift(-1);
    expect(times(opened)[2]).toEqual([5.5, 7.5]);
  });
});

describe('a shift', () => {
  test('moves this caption and all after it', () => {
    const opened = three();
    opened.go(2);
    opened.commands.shift(1.5);
    expect(times(opened)).toEqual([
      [0, 2],
      [4.5, 6.5],
      [7.5, 9.5],
    ]);
  });
  test('that does not fit is not made at all', () => {
    const opened = three();
    opened.go(2);
    opened.commands.shift(-9);
    expect(times(opened)).toEqual([
      [0, 2],
      [3, 5],
      [6, 8],
    ]);
    expect(opened.review.message.value).not.toBe('');
  });
});

test('a gap is closed to two frames', () => {
  const opened = three();
  opened.go(2);
  opened.commands.closeGap();
  expect(times(opened)[1]).toEqual([3, 5.92]);
});

test.each([
  ['push', 6.58],
  ['free', 6],
  ['ripple', 7.5],
] as const)('the next caption when an end moves past it: %s', (mode, third) => {
  settings.mode.value = mode;
  const opened = three();
  opened.go(2);
  opened.commands.nudgeEdge('end', 1.5);
  expect(times(opened)[2]?.[0]).toBe(third);
});

test('both edges of a cut roll together', () => {
  settings.mode.value = 'roll';
  const opened = three();
  opened.go(2);
  opened.commands.closeGap();
  opened.commands.nudgeEdge('end', 0.5);
  expect(times(opened).slice(1)).toEqual([
    [3, 6.42],
    [6.5, 8],
  ]);
});
