/** Recordings that are still to be deleted: each deletion is recorded in its own run alone. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { retryDeletions } from '../../server/runs/pending-deletions.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const runs = createRunStore(database);

test('a completed deletion does not affect other runs and their pending deletions', async () => {
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
  expect(await retryDeletions(database, audio, createLog('silent'))).toBe(1);
  const rows = await database.selectFrom('runs').select(['id', 'owed_audio', 'result']).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect(byId.get(mine.runId)?.owed_audio).toBeNull();
  expect(byId.get(other.runId)).toMatchObject({
    owed_audio: 'v1',
    result: JSON.stringify(other.result),
  });
});

test('a result without a failed deletion is not changed', async () => {
  const { runId, result } = await completedRun(database, 'told', spoken('Told.'));
  const texts = [undefined, { sourceAudio: { status: 'deleted', reason: 'It was.' } }].map(
    (storage) => JSON.stringify({ ...result, metadata: { ...result.metadata, storage } }),
  );
  for (const text of texts) {
    await database
      .updateTable('runs')
      .set({ owed_audio: 'v1', result: text })
      .where('id', '=', runId)
      .execute();
    const audio = { stat: async () => null, delete: async (of: string) => of === 'told' };
    await retryDeletions(database, audio, createLog('silent'));
    const row = await database
      .selectFrom('runs')
      .select(['owed_audio', 'result'])
      .where('id', '=', runId)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ owed_audio: null, result: text });
  }
});

test('a run without a result has no pending deletion once its recording is deleted', async () => {
  const payload = { audio: { key: 'gone.mp3' } };
  const run = { id: 'run_bare', organizationId: 'bare', keyId: 'k', payload, idempotencyKey: null };
  await runs.insert(run);
  await database.updateTable('runs').set({ owed_audio: 'v1' }).where('id', '=', run.id).execute();
  const audio = { stat: async () => null, delete: async (of: string) => of === 'bare' };
  await retryDeletions(database, audio, createLog('silent'));
  const row = await database
    .selectFrom('runs')
    .select(['owed_audio', 'result'])
    .where('id', '=', run.id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ owed_audio: null, result: null });
});

test('a hundred are tried in one pass, and those that always fail do not block others', async () => {
  await database.updateTable('runs').set({ owed_audio: null }).execute();
  for (let at = 0; at < 100; at += 1) {
    const id = `run_${String(at).padStart(3, '0')}`;
    const payload = { audio: { key: 'stuck.mp3' } };
    await runs.insert({ id, organizationId: 'stuck', keyId: 'k', payload, idempotencyKey: null });
  }
  const { id } = await database
    .selectFrom('runs')
    .select('id')
    .where('organization_id', '=', 'told')
    .executeTakeFirstOrThrow();
  await database.updateTable('runs').set({ id: 'run_zzz' }).where('id', '=', id).execute();
  await database.updateTable('runs').set({ owed_audio: 'v1' }).execute();
  await database
    .updateTable('runs')
    .set({ owed_audio: null })
    .where('organization_id', 'not in', ['stuck', 'told'])
    .execute();
  let tried = 0;
  const audio = {
    stat: async () => null,
    delete: async (of: string) => {
      tried += 1;
      if (of === 'stuck') throw new Error('the store is away');
      return true;
    },
  };
  // A pass leaves out one of the 101: that it is the same one five times has a chance of 1e-10.
  let done = await retryDeletions(database, audio, createLog('silent'));
  expect(tried).toBe(100);
  for (let pass = 0; pass < 4; pass += 1) {
    done += await retryDeletions(database, audio, createLog('silent'));
  }
  expect(done).toBe(1);
});

test('the log has each run with a failed deletion, the reason, and the number deleted', async () => {
  await database.updateTable('runs').set({ owed_audio: null }).execute();
  await database
    .updateTable('runs')
    .set({ owed_audio: 'v1' })
    .where('id', 'in', ['run_000', 'run_001'])
    .execute();
  const lines: { event: string }[] = [];
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
  const pass = (fails: boolean) => {
    const audio = {
      stat: async () => null,
      delete: () => (fails ? Promise.reject(new Error('it is away')) : Promise.resolve(true)),
    };
    return retryDeletions(database, audio, log);
  };
  await pass(true);
  expect(lines.map((line) => ({ ...line, time: '' })).toSorted(byRun)).toMatchObject([
    { event: 'audio_not_deleted', runId: 'run_000', error: { message: 'it is away' } },
    { event: 'audio_not_deleted', runId: 'run_001', error: { message: 'it is away' } },
  ]);
  lines.length = 0;
  await refusing(database, 'update of owed_audio on runs', async () => {
    await pass(false);
    throw new Error(JSON.stringify(lines.map((line) => Reflect.get(line, 'error'))));
  });
  lines.length = 0;
  await pass(false);
  expect(lines).toMatchObject([{ event: 'pending_audio_deleted', count: 2 }]);
  await pass(false);
  expect(lines).toHaveLength(1);
});

const byRun = (a: object, b: object): number =>
  String(Reflect.get(a, 'runId')).localeCompare(String(Reflect.get(b, 'runId')));
