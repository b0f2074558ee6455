/** The pauses before a lost subscription to PostgreSQL is tried again. */
import { expect, test } from 'bun:test';
import { rejoinPauseMs } from '../../server/storage/postgres.ts';

test('the pause doubles from a tenth of a second, up to two seconds', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 30].map(rejoinPauseMs);
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000]);
});
