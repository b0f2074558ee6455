/** Submissions during which the database fails, or an earlier run with the same key disappears. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import type { RunStore } from '../../server/runs/run-store.ts';
import { createRuns, IdempotencyConflict } from '../../server/runs/service.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { runParts } from './run-parts.ts';

const { database } = await sqliteDatabase();

/** A service of runs on a store with changes, the runs in its queue, and the first event in its log. */
function runsOn(changes: Partial<RunStore>) {
  const queued: string[] = [];
  const logged = Promise.withResolvers<string>();
  const log = createLog('info', (line) => logged.resolve(JSON.parse(line).event));
  const parts = runParts(database, (runId) => void queued.push(runId), log);
  const runs = createRuns({ ...parts, store: { ...parts.store, ...changes } });
  const submit = (name: string, idempotencyKey: string | null) =>
    runs.submit({
      organizationId: 'org',
      keyId: 'key',
      payload: { audio: { key: name } },
      idempotencyKey,
    });
  return { submit, queued, logged: logged.promise };
}

test('a run is queued although that cannot be recorded', async () => {
  const markEnqueued = () => Promise.reject(new Error('the database is away'));
  const { submit, queued, logged } = runsOn({ markEnqueued });
  expect(queued).toEqual([await submit('talk.mp3', null)]);
  expect(await logged).toBe('queueing_not_recorded');
});

test('an idempotency key whose run disappears meanwhile is in conflict', async () => {
  const { submit, queued } = runsOn({ byIdempotencyKey: async () => null });
  await submit('talk.mp3', 'once');
  await expect(submit('talk.mp3', 'once')).rejects.toBeInstanceOf(IdempotencyConflict);
  expect(queued).toHaveLength(1);
});
