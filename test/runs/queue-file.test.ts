/** The queue in a SQLite file: which runs are released, pruned and deleted, and which are not. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import { extendLeases } from '../../server/runs/leased-backend.ts';
import { openQueue } from '../../server/runs/openworkflow-queue.ts';
import { openSqliteStore, prepareSqlite } from '../../server/runs/openworkflow-sqlite.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { until } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
const path = join(folder, 'runs.sqlite');
await prepareSqlite(path);
const store = openSqliteStore(path, { answersRequests: false });
const file = openSqlite(path);
afterAll(async () => {
  file.close();
  await store.close();
  await removeFolder(folder);
});
const { backend } = store;

/** Puts a run into the queue, available since an instant. */
async function add(runId: string, availableAt: Date): Promise<string> {
  const created = await backend.createWorkflowRun({
    workflowName: 'captioner',
    version: null,
    idempotencyKey: runId,
    config: {},
    context: null,
    input: { runId },
    parentStepAttemptNamespaceId: null,
    parentStepAttemptId: null,
    availableAt,
    deadlineAt: null,
  });
  return created.id;
}
const claim = async (workerId: string) =>
  (await backend.claimWorkflowRun({ workerId, leaseDurationMs: 60_000 }))!.id;
const rows = () =>
  file
    .prepare(
      'SELECT "idempotency_key" AS "id", "status", "worker_id" AS "worker" FROM "workflow_runs" ORDER BY 1',
    )
    .all();
/** The instant from which on a run is available, or until which it is held. */
const placeOf = (id: string) =>
  String(
    file
      .prepare('SELECT "available_at" AS "at" FROM "workflow_runs" WHERE "idempotency_key" = ?')
      .get(id)?.['at'],
  );
const change = (sql: string, ...values: string[]) => file.prepare(sql).run(...values);

test('only runs of dead workers are released, and waiting ones keep their position', async () => {
  await add('dead', new Date(1));
  await add('held', new Date(2));
  await add('waits', new Date(3));
  await claim('worker_1');
  await claim('worker_2');
  change(
    `UPDATE "workflow_runs" SET "available_at" = ? WHERE "idempotency_key" = 'dead'`,
    new Date(Date.now() - 1000).toISOString(),
  );
  const place = placeOf('waits');
  await store.freeExpired();
  expect(rows()).toMatchObject([
    { id: 'dead', status: 'pending', worker: null },
    { id: 'held', status: 'running', worker: 'worker_2' },
    { id: 'waits', status: 'pending' },
  ]);
  expect(placeOf('waits')).toBe(place);
});

test('a run in progress is neither pruned nor deleted, however old; an ended one is', async () => {
  const before = Date.now() + 60_000;
  expect(await store.prune(before)).toBe(0);
  await store.forget('held');
  await store.forget('waits');
  expect(rows()).toHaveLength(3);
  change(
    `UPDATE "workflow_runs" SET "status" = 'completed', "finished_at" = ? WHERE "idempotency_key" = 'dead'`,
    new Date().toISOString(),
  );
  expect(await store.prune(Date.now() - 60_000)).toBe(0);
  expect(await store.prune(before)).toBe(1);
  expect(rows()).toHaveLength(2);
  change(`UPDATE "workflow_runs" SET "status" = 'failed' WHERE "idempotency_key" = 'held'`);
  await store.forget('held');
  expect(rows()).toMatchObject([{ id: 'waits' }]);
});

test('a lost lease is reported after all others were extended', async () => {
  const workflowRunId = await claim('worker_3');
  const lost = { runId: 'gone', workflowRunId: 'gone', workerId: 'worker_3' };
  const kept = { runId: 'waits', workflowRunId, workerId: 'worker_3' };
  const leaseOf = () =>
    String(file.prepare(`SELECT "available_at" AS "at" FROM "workflow_runs"`).get()?.['at']);
  const before = leaseOf();
  await expect(extendLeases(backend, [lost, kept], 600_000)).rejects.toThrow();
  expect(leaseOf() > before).toBe(true);
  await extendLeases(backend, [kept], 600_000);
});

test('a working queue extends its leases, and frees runs whose lease has ended', async () => {
  const queue = await openQueue(path, createLog('silent'), { leaseMs: 100 });
  const ended = Promise.withResolvers<void>();
  const held: string[] = [];
  await queue.work(1, async ({ runId }) => {
    held.push(runId);
    await ended.promise;
  });
  await queue.start({ runId: 'long' }, 0);
  queue.wake();
  await until(async () => held.includes('long'));
  await add('lost', new Date(1));
  change(
    `UPDATE "workflow_runs" SET "status" = 'running', "worker_id" = 'dead' WHERE "idempotency_key" = 'lost'`,
  );
  const first = placeOf('long');
  await until(async () => placeOf('long') > first);
  await until(async () =>
    rows().some((row) => row['id'] === 'lost' && row['status'] === 'pending'),
  );
  ended.resolve();
  await queue.stop(1000);
  expect(held).toContain('long');
});

test('leases that are extended for another thread last as long as its own', async () => {
  const queue = await openQueue(path, createLog('silent'), { leaseMs: 600_000 });
  await add('borrowed', new Date(1));
  const workflowRunId = await claim('worker_5');
  await queue.extend([{ runId: 'borrowed', workflowRunId, workerId: 'worker_5' }]);
  const lease = file
    .prepare(`SELECT "available_at" AS "at" FROM "workflow_runs" WHERE "id" = ?`)
    .get(workflowRunId);
  expect(Date.parse(String(lease?.['at'])) - Date.now()).toBeGreaterThan(300_000);
  await queue.stop(0);
  change(`DELETE FROM "workflow_runs" WHERE "id" = ?`, workflowRunId);
});

test('a worker that cannot read the queue takes runs again once it can', async () => {
  let lines = '';
  const queue = await openQueue(
    path,
    createLog('warn', (line) => void (lines += line)),
  );
  await queue.start({ runId: 'patient' }, 0);
  file.exec('ALTER TABLE "workflow_runs" RENAME TO "away"');
  const taken: string[] = [];
  await queue.work(1, async ({ runId }) => void taken.push(runId));
  await until(async () => lines.includes('queue_not_read'));
  file.exec('ALTER TABLE "away" RENAME TO "workflow_runs"');
  queue.wake();
  await until(async () => taken.includes('patient'));
  await queue.stop(1000);
});

test('a run whose step fails is repeated later, for the reason of the step', async () => {
  const queue = await openQueue(path, createLog('silent'), { retryMs: 60_000 });
  await queue.work(1, async ({ runId }, steps) => {
    if (runId === 'unlucky') await steps.run('audio', () => Promise.reject(new Error('no memory')));
  });
  await queue.start({ runId: 'unlucky' }, 0);
  queue.wake();
  const unlucky = () =>
    file
      .prepare(
        `SELECT "status", "error", "available_at" AS "at" FROM "workflow_runs" WHERE "idempotency_key" = 'unlucky' AND "error" IS NOT NULL`,
      )
      .get();
  const row = await until(async () => unlucky());
  expect(row['status']).toBe('pending');
  expect(JSON.parse(String(row['error']))).toMatchObject({ message: 'no memory' });
  expect(Date.parse(String(row['at'])) - Date.now()).toBeGreaterThan(20_000);
  await queue.stop(0);
  change(`DELETE FROM "workflow_runs" WHERE "idempotency_key" = 'unlucky'`);
});

test('a stopping queue waits for a run that ends in time, which is then done, and no longer', async () => {
  const queue = await openQueue(path, createLog('silent'));
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await queue.work(1, async ({ runId }) => {
    if (runId !== 'last') return;
    begun.resolve();
    await ended.promise;
  });
  await queue.start({ runId: 'last' }, 0);
  queue.wake();
  await begun.promise;
  const before = Date.now();
  const stopped = queue.stop(60_000);
  await new Promise(setImmediate);
  ended.resolve();
  await stopped;
  expect(Date.now() - before).toBeLessThan(50_000);
  expect(rows().find((row) => row['id'] === 'last')).toMatchObject({ status: 'completed' });
});

test('a closed store has closed both of its connections', async () => {
  const closed = openSqliteStore(path, { answersRequests: false });
  await closed.close();
  await expect(closed.prune(0)).rejects.toThrow('not open');
  const claimed = closed.backend.claimWorkflowRun({ workerId: 'me', leaseDurationMs: 1000 });
  await expect(claimed).rejects.toThrow('has closed');
});

test('a released run is the next, unless it is to be the last', async () => {
  const queue = await openQueue(path, createLog('silent'));
  const before = new Date().toISOString();
  for (const [runId, last] of [
    ['first', false],
    ['last again', true],
  ] as const) {
    await add(runId, new Date(1));
    const workflowRunId = await claim('worker_4');
    await queue.start({ runId: `before ${runId}` }, 0);
    await queue.release([{ runId, workflowRunId, workerId: 'worker_4' }], last);
    expect(rows().find((row) => row['id'] === runId)).toMatchObject({ status: 'pending' });
    expect(placeOf(runId) >= before).toBe(last);
    expect(placeOf(runId) < placeOf(`before ${runId}`)).toBe(!last);
    change(`DELETE FROM "workflow_runs" WHERE "idempotency_key" LIKE ?`, `%${runId}`);
  }
  await queue.stop(0);
});

test('a starting process frees all runs of the last one, however long their leases', async () => {
  await add('crashed', new Date(1));
  await claim('dead');
  await prepareSqlite(path);
  expect(rows().find((row) => row['id'] === 'crashed')).toMatchObject({
    status: 'pending',
    worker: null,
  });
});
