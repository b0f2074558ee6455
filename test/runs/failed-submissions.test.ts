/** Submissions during which the database fails, or an earlier run with the same key disappears. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { createPartialTranscripts } from '../../server/runs/partial-transcripts.ts';
import type { RunQueue } from '../../server/runs/queue.ts';
import { createResultQuota } from '../../server/runs/result-quota.ts';
import { createLocalRunEvents } from '../../server/runs/run-events.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { createRunStore, type RunStore } from '../../server/runs/run-store.ts';
import { createRuns, IdempotencyConflict } from '../../server/runs/service.ts';
import { createWatches } from '../../server/runs/watches.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();

/** A service of runs on a store with changes, the runs in its queue, and the first event in its log. */
function runsOn(changes: Partial<RunStore>) {
  const queued: string[] = [];
  const logged = Promise.withResolvers<string>();
  const log = createLog('info', (line) => logged.resolve(JSON.parse(line).event));
  const events = createLocalRunEvents();
  const runs = createRuns({
    store: { ...createRunStore(database), ...changes },
    queries: createRunQueries(database),
    partial: createPartialTranscripts(database),
    resultQuota: createResultQuota(database, null),
    queue: { start: async ({ runId }) => void queued.push(runId) } as Partial<RunQueue> as RunQueue,
    events,
    watches: createWatches(events, async () => new Map(), log, 1_000_000_000),
    log,
  });
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
