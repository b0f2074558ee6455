/** The time that is left of a translation is said only where it is known. */
import { expect, test } from 'bun:test';
import { secondsLeft } from '../../../web/review/translation/time-left.ts';

const look = (seconds: number, progress: number, id = 'one') => ({
  id,
  at: seconds * 1000,
  progress,
});

test.each([
  ['nothing has been seen', look(0, 0.1), look(0, 0.1), null],
  ['too little time has passed', look(0, 0), look(4, 0.4), null],
  ['nothing has been done', look(0, 0.3), look(60, 0.31), null],
  ['it is another one', look(0, 0, 'two'), look(60, 0.5), null],
  ['half is done', look(0, 0), look(60, 0.5), 60],
  ['it was begun elsewhere', look(100, 0.5), look(110, 0.6), 40],
  ['it is done', look(0, 0), look(60, 1), 0],
])('%s', (_, first, now, left) => {
  expect(secondsLeft(first, now)).toBe(left);
});
