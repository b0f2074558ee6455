/** The undo steps of typing, and the reasons that stop a caption. */
import { expect, test } from 'bun:test';
import { moveLimitText } from '../../../web/review/desk/time-commands.ts';
import { TypingGroups } from '../../../web/review/desk/cue-row.tsx';
import { text } from '../../../web/texts/review.ts';

/** The steps of keystrokes: the time of each, the text after it, and the caption. */
function stepsOf(...keys: [time: number, typed: string, cue?: number][]): number[] {
  let now = 0;
  const groups = new TypingGroups(() => now);
  const names = keys.map(([time, typed, cue = 1]) => {
    now = time;
    return groups.groupOf(cue, typed);
  });
  return names.map((name) => names.indexOf(name));
}

test.each<[string, [number, string, number?][], number[]]>([
  [
    'a word',
    [
      [0, 'O'],
      [10, 'On'],
      [20, 'One'],
    ],
    [0, 0, 0],
  ],
  [
    'a second word',
    [
      [0, 'One'],
      [10, 'One '],
      [20, 'One t'],
    ],
    [0, 1, 1],
  ],
  [
    'a word on a new line',
    [
      [0, 'One'],
      [10, 'One\nt'],
    ],
    [0, 1],
  ],
  [
    'deleting words',
    [
      [0, 'One two'],
      [10, 'One'],
      [20, ''],
    ],
    [0, 0, 0],
  ],
  [
    'a pause of a second',
    [
      [0, 'O'],
      [1000, 'On'],
    ],
    [0, 0],
  ],
  [
    'a longer pause',
    [
      [0, 'O'],
      [1001, 'On'],
      [1002, 'One'],
    ],
    [0, 1, 1],
  ],
  [
    'another caption',
    [
      [0, 'O'],
      [10, 'O', 2],
      [20, 'On', 2],
    ],
    [0, 1, 1],
  ],
])('a step: %s', (_name, keys, steps) => {
  expect(stepsOf(...keys)).toEqual(steps);
});

test('typing after the end of a step is another', () => {
  const groups = new TypingGroups(() => 0);
  const first = groups.groupOf(1, 'O');
  groups.end();
  expect(groups.groupOf(1, 'On')).not.toBe(first);
});

test('a caption is stopped by the one before it or after it, by their numbers', () => {
  const { moveLimits } = text.review;
  const says = (by: 'previous' | 'next', more: object = {}) =>
    moveLimitText({ by, edge: 'move', limit: 1, ...more }, 3);
  expect([says('previous'), says('next')]).toEqual([
    moveLimits.moved(3, 1),
    moveLimits.moved(5, 1),
  ]);
  expect(says('next', { stays: true })).toBe(moveLimits.stays(5));
  expect(says('next', { many: true })).toBe(moveLimits.many(1));
  expect(says('previous', { edge: 'start' })).toBe(moveLimits.previous(3, '00:00:01,000'));
});
