/** Recordings that are still to be deleted: each deletion is recorded in its own run alone. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { deleteOwedAudio } from '../../server/runs/owed-audio.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();

test('a deletion that is done leaves the runs of others, and what they owe, as they are', async () => {
  const [mine, other] = [
    await completedRun(database, 'mine', spoken('My words.')),
    await completedRun(database, 'other', spoken('Their words.')),
  ];
  await database.updateTable('runs').set({ owed_audio: 'v1' }).execute();
  const audio = {
    stat: async () => null,
    delete: async (of: string) => {
      if (of === 'other') throw new Error('the store is away');
      return true;
    },
  };
  expect(await deleteOwedAudio(database, audio, createLog('silent'))).toBe(1);
  const rows = await database.selectFrom('runs').select(['id', 'owed_audio', 'result']).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect(byId.get(mine.runId)?.owed_audio).toBeNull();
  expect(byId.get(other.runId)).toMatchObject({
    owed_audio: 'v1',
    result: JSON.stringify(other.result),
  });
});
