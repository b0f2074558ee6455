/** Repeated housekeeping: its tasks, their intervals, and that stopping it waits for the task in progress. */
import { expect, spyOn, test } from 'bun:test';
import { startHousekeeping } from '../../server/runs/housekeeping.ts';
import { house, lifetimes, MINUTE_MS } from './house.ts';

test('deletions and lost runs are looked for every five seconds, expired data every hour', async () => {
  const { services, asked, audio, record, run, database } = await house();
  const timers = spyOn(globalThis, 'setInterval');
  const keeping = startHousekeeping(lifetimes, services);
  const begun = timers.mock.calls.map(([work, ms]) => ({ work: work as () => void, ms }));
  timers.mockRestore();
  await keeping.stop();
  expect(begun.map(({ ms }) => ms)).toEqual([60 * MINUTE_MS, 5000, 5000]);
  const before = { prune: asked.prune.length, recover: asked.recover.length };
  await record('owed.mp3', MINUTE_MS);
  await run('run_owing', 'owed.mp3', MINUTE_MS);
  const { version } = (await audio.stat('org', 'owed.mp3'))!;
  await database.updateTable('runs').set({ owed_audio: version }).execute();
  await database.deleteFrom('schedules').execute();
  for (const { work } of begun) work();
  await keeping.stop();
  expect(asked.prune).toHaveLength(before.prune + 1);
  expect(asked.recover).toHaveLength(before.recover + 1);
  expect(await audio.stat('org', 'owed.mp3')).toBeNull();
});
