/** Deletion in steps: the size of each step, its reads, and its atomicity. */
import { expect, spyOn, test } from 'bun:test';
import type { AudioStore } from '../../server/storage/audio.ts';
import { createLog } from '../../server/log.ts';
import { retryDeletions } from '../../server/runs/pending-deletions.ts';
import { createRunErasure } from '../../server/runs/run-erasure.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import type { Runs } from '../../server/runs/service.ts';
import { eraseWorkspace } from '../../server/runs/workspace-erasure.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import { recordPostgres } from '../support/doubles/postgres-record.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { newWorkspace } from '../support/servers/run-rows.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { house } from './house.ts';

const { database } = await sqliteDatabase();
const store = createRunStore(database);
const log = createLog('silent');
const erasureOf = (database: Parameters<typeof createRunErasure>[0]['database']) =>
  createRunErasure({
    database,
    queue: { forget: async () => 0 },
    audio: { delete: async () => true, stat: async () => null },
    log,
  });
const payload = { audio: { key: 'a.mp3' } };

async function submitted(organizationId: string): Promise<string> {
  const id = `run_${crypto.randomUUID()}`;
  await store.insert({ id, organizationId, keyId: 'key', payload, idempotencyKey: null });
  return id;
}

test.each([
  [500, 1],
  [501, 2],
  [1000, 2],
  [1001, 3],
])('%d ids, or answers of an erased run, take %d statements', async (many, few) => {
  const keys = Array.from({ length: many }, (_, at) => ({ key: `answer_${at}` }));
  let most = 0;
  const { database, statements } = recordPostgres((statement, parameters) => {
    most = Math.max(most, parameters.length);
    if (statement === 'select runs') return [{ owed_audio: null, finished_at: 1 }];
    if (statement === 'delete runs') return [{ id: 'run_1' }];
    return statement === 'select audit_answer_runs' ? keys : [];
  });
  const of = (name: string) => statements.filter((statement) => statement === name).length;
  await erasureOf(database).erase({ id: 'run_1', organizationId: 'org_1', payload });
  expect(of('delete audit_answers')).toBe(few);
  statements.length = 0;
  await createRunQueries(database).lastChanges(keys.map(({ key }) => key));
  expect(of('select runs')).toBe(few);
  expect(most).toBe(500);
});

test('of the answers, an erasure reads only those of its run', async () => {
  const mine = newWorkspace();
  const [one, other] = [
    await completedRun(database, mine, spoken('One.')),
    await completedRun(database, mine, spoken('Another.')),
  ];
  const answers = createAuditAnswers(database, { ttlMs: 60_000, log });
  await answers.set('of one', '{}', one.runId);
  await answers.set('of another', '{}', other.runId);
  const { database: watched, statements } = watchDatabase(database);
  const erased = await erasureOf(watched).erase({ id: one.runId, organizationId: mine, payload });
  expect(erased?.erased).toMatchObject({ modelAnswers: 1 });
  expect(statements).toContain('select audit_answer_runs: 1');
});

test('runs are deleted together with their events or not at all', async () => {
  const id = await submitted(newWorkspace());
  await database.updateTable('runs').set({ finished_at: 500 }).where('id', '=', id).execute();
  const event = { id: 'mod_1', run_id: id, created_at: 400, decision: 'allow' as const };
  await database
    .insertInto('moderation_events')
    .values({ ...event, severity: 'none', reason: 'safe', model: 'm', flagged: null })
    .execute();
  const queries = createRunQueries(database);
  await refusing(database, 'delete on runs', () => queries.forget(1000));
  const events = () => database.selectFrom('moderation_events').select('id').execute();
  expect(await events()).toEqual([{ id: 'mod_1' }]);
  expect(await queries.forget(1000)).toBe(1);
  expect(await events()).toEqual([]);
});

test('a run that begins again is returned with the result it has', async () => {
  const id = await submitted(newWorkspace());
  expect(await store.markRunning(id)).toHaveProperty('result', null);
  await database.updateTable('runs').set({ result: '{}' }).where('id', '=', id).execute();
  expect(await store.markRunning(id)).toHaveProperty('result', '{}');
});

test('the runs of a workspace are erased by the hundred', async () => {
  const asked: number[] = [];
  const left = ['run_1', 'run_2'];
  const runs = {
    list: async (_of: string, most: number, _after: unknown, state?: string) => {
      asked.push(most);
      return state ? [] : left.map((id) => ({ id }));
    },
  };
  const erasure = { erase: async ({ id }: { id: string }) => left.splice(left.indexOf(id), 1)[0] };
  const audio = { delete: async () => true } as unknown as AudioStore;
  const parts = { database, audio, runs: runs as unknown as Runs, erasure: erasure as never };
  expect((await eraseWorkspace(parts, newWorkspace()))?.erased.runs).toBe(2);
  expect(asked).toEqual([1, 1, 100, 100]);
});

test('a deletion that another process has recorded meanwhile is recorded once', async () => {
  const { runId } = await completedRun(database, newWorkspace(), spoken('Deleted.'));
  await database.updateTable('runs').set({ owed_audio: null }).execute();
  const run = database.updateTable('runs').where('id', '=', runId);
  await run.set({ owed_audio: 'v1' }).execute();
  const { database: watched } = watchDatabase(database, async (statement) => {
    if (statement !== 'select runs: 1' || (looks += 1) < 2) return;
    await run.set({ owed_audio: null, result: '{"by":"another"}' }).execute();
  });
  let looks = 0;
  const audio = { stat: async () => null, delete: async () => true };
  expect(await retryDeletions(watched, audio, log)).toBe(1);
  expect(await store.get(runId)).toMatchObject({ result: '{"by":"another"}' });
});

test.each([
  [true, { status: 'deleted', reason: 'It was deleted after the run had ended.' }],
  [false, { status: 'skipped', reason: 'A newer upload has replaced the audio.' }],
])('a result keeps what it says of a recording (deleted: %p)', async (deleted, outcome) => {
  const { runId, result } = await completedRun(database, newWorkspace(), spoken('Kept.'));
  const sourceAudio = { status: 'failed', error: 'away', policy: 'delete', more: 1 };
  const metadata = { ...result.metadata, storage: { sourceAudio } };
  await database.updateTable('runs').set({ owed_audio: null }).execute();
  await database
    .updateTable('runs')
    .set({ owed_audio: 'v1', result: JSON.stringify({ ...result, metadata }) })
    .where('id', '=', runId)
    .execute();
  const asked: string[] = [];
  const audio = {
    stat: async (...of: string[]) => {
      asked.push(of.join());
      return { size: 1, version: 'v2' } as never;
    },
    delete: async (of: string, key: string) => {
      asked.push([of, key].join());
      return deleted;
    },
  };
  expect(await retryDeletions(database, audio, log)).toBe(1);
  expect(new Set(asked).size).toBe(1);
  expect(asked).toHaveLength(deleted ? 1 : 2);
  const text = (await store.get(runId))?.result ?? '';
  expect(JSON.parse(text).metadata.storage.sourceAudio).toEqual({
    policy: 'delete',
    more: 1,
    ...outcome,
  });
});

test('a round keeps other processes out for ten minutes, and looks for runs lost for five seconds', async () => {
  const { round, services, database } = await house();
  const clock = spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
  let lostBefore = 0;
  let leaseUntil: number | null = 0;
  await round({
    runs: { ...services.runs, recover: async (before: number) => (lostBefore = before) },
    queries: {
      ...services.queries,
      async forget() {
        const { lease_until } = await database
          .selectFrom('schedules')
          .select('lease_until')
          .where('name', '=', 'prune')
          .executeTakeFirstOrThrow();
        leaseUntil = lease_until;
        return 0;
      },
    },
  });
  clock.mockRestore();
  expect(lostBefore).toBe(1_700_000_000_000 - 5000);
  expect(leaseUntil).toBe(1_700_000_000_000 + 600_000);
});
