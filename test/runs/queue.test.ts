/** The queue of runs: on each database, in a SQLite file, as statements of the driver, and its leases. */
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../server/base/log.ts';
import type { HeldRun } from '../../server/runs/queue/queue.ts';
import type { FromWorker } from '../../server/runs/threads/messages.ts';
import { openQueue, prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { openSqliteStore, prepareSqlite } from '../../server/runs/queue/openworkflow-sqlite.ts';
import { joinPostgresRunEvents } from '../../server/runs/postgres-run-events.ts';
import { repeat } from '../../server/base/concurrency.ts';
import type { RunEvent } from '../../server/runs/store/run-events.ts';
import { createThreadRescue } from '../../server/runs/threads/thread-rescue.ts';
import { ThreadWatch } from '../../server/runs/threads/thread-watch.ts';
import { type Any, until } from '../support/servers/client.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { queueSuite } from './queue.suite.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { openPostgresPool } from '../../server/storage/postgres.ts';

setDefaultTimeout(600000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

let count = 0;
queueSuite('runs in a file', {
  folder,
  leaseMs: null,
  location: async () => join(folder, `${(count += 1)}.sqlite`),
});

if (hasPostgres) {
  const server = await startPostgres();
  afterAll(() => server.close());
  queueSuite('runs in PostgreSQL', {
    folder,
    leaseMs: 1500,
    location: server.database,
  });

  needsPostgres(
    'the leases of a process are extended together; a lost one is reported',
    async () => {
      const url = await server.database();
      await prepareQueue(url);
      const held: HeldRun[] = [];
      const queue = await openQueue(url, createLog('silent'), {
        holding: { held: (run) => held.push(run), freed() {} },
        leaseMs: 600_000,
      });
      const ended = Promise.withResolvers<void>();
      await queue.work(2, () => ended.promise);
      for (const runId of ['a', 'b']) await queue.start({ runId }, 0);
      queue.wake();
      await until(async () => held.length === 2);
      const look = await openPostgresPool(url, 1);
      const change = `update openworkflow.workflow_runs set available_at = now() + interval '1 second'`;
      const leases = async () =>
        (await look.query('select available_at from openworkflow.workflow_runs')).rows.filter(
          (row) => Number(row['available_at']) > Date.now() + 300_000,
        );
      await look.query(change);
      await queue.extend(held);
      expect(await leases()).toHaveLength(2);
      await look.query(change);
      const lost = { runId: 'c', workflowRunId: held[0]!.workflowRunId, workerId: 'another' };
      await expect(queue.extend([lost, ...held])).rejects.toThrow('lost');
      expect(await leases()).toHaveLength(2);
      await look.end();
      ended.resolve();
      await queue.stop(1000);
    },
  );

  needsPostgres(
    'events reach every process once, in order, until the channel is closed',
    async () => {
      const url = await server.database();
      const lines: string[] = [];
      const log = createLog('warn', (line) => void lines.push(line));
      const join = () => joinPostgresRunEvents(url, log);
      const [one, other] = await Promise.all([join(), join()]);
      const heard: RunEvent[][] = [[], []];
      one.subscribe((event) => heard[0]!.push(event));
      other.subscribe((event) => heard[1]!.push(event));
      const sent = Array.from({ length: 250 }, (_, at) => ({
        type: 'changed' as const,
        runId: `run_${at}`,
      }));
      for (const event of sent) one.publish(event);
      other.publish({ type: 'cancel', runId: 'run_x' });
      const all = sent.length + 1;
      await until(async () => heard.every((events) => events.length >= all));
      for (const events of heard) {
        expect(events.filter(({ type }) => type === 'changed')).toEqual(sent);
        expect(events).toHaveLength(all);
      }
      await Promise.all([one.close(), other.close()]);
      const pool = await openPostgresPool(url, 1);
      await until(async () => {
        const { rows } = await pool.query(
          "select 1 from pg_stat_activity where application_name = 'captioner' and datname = current_database()",
        );
        return rows.length === 1;
      });
      await pool.end();
      one.publish({ type: 'queued' });
      expect(heard[0]).toHaveLength(all);
      // The connections are closed, so it is not sent either.
      await until(async () => lines.some((line) => line.includes('run_events_not_sent')));
    },
  );

  needsPostgres('a process looks for waiting runs after it had lost the channel', async () => {
    const url = await server.database();
    const events = await joinPostgresRunEvents(url, createLog('silent'));
    const heard: RunEvent[] = [];
    events.subscribe((event) => heard.push(event));
    const pool = await openPostgresPool(url, 1);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%' and datname = current_database()",
    );
    await until(async () => heard.length > 0, 10_000);
    expect(heard).toEqual([{ type: 'queued' }]);
    await Promise.all([events.close(), pool.end()]);
  });
} else needsPostgres('runs in PostgreSQL', () => {});

describe('the queue in a SQLite file', async () => {
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
  const log = createLog('silent');

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
    await expect(store.extend([lost, kept], 600_000)).rejects.toThrow();
    expect(leaseOf() > before).toBe(true);
    await store.extend([kept], 600_000);
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

  test('a lease lasts 15 s, also when openworkflow asks for more', async () => {
    const beats = spyOn(globalThis, 'setInterval');
    const queue = await openQueue(path, log);
    for (const runId of ['one', 'two']) await queue.start({ runId }, 0);
    const begun: string[] = [];
    const ended = Promise.withResolvers<void>();
    await queue.work(9, ({ runId }) => {
      begun.push(runId);
      return ended.promise;
    });
    await until(async () => begun.includes('one') && begun.includes('two'));
    // openworkflow's own requests to extend it, which are for half a minute.
    for (const [beat, ms] of beats.mock.calls) if (ms === 15_000) (beat as () => void)();
    beats.mockRestore();
    for (const runId of begun) {
      expect(Math.abs(Date.parse(placeOf(runId)) - Date.now() - 15_000)).toBeLessThan(5000);
    }
    ended.resolve();
    await queue.stop(1000);
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

  test('a stopping queue waits for a run that ends in time, which is then done, and no longer', async () => {
    const [set, clear] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')];
    const told: string[] = [];
    const holding = {
      held: ({ runId }: HeldRun) => told.push(`held ${runId}`),
      freed: ({ runId }: HeldRun) => told.push(`freed ${runId}`),
    };
    const queue = await openQueue(path, createLog('silent'), { holding });
    const ends = { last: Promise.withResolvers<void>(), never: Promise.withResolvers<void>() };
    const begun: string[] = [];
    await queue.work(2, async ({ runId }) => {
      begun.push(runId);
      await ends[runId as 'last']?.promise;
    });
    for (const runId of ['last', 'never']) await queue.start({ runId }, 0);
    queue.wake();
    await until(async () => begun.includes('last') && begun.includes('never'));
    const stopped = queue.stop(100);
    await new Promise(setImmediate);
    ends.last.resolve();
    await stopped;
    const stateOf = (id: string) => rows().find((row) => row['id'] === id);
    expect(stateOf('last')).toMatchObject({ status: 'completed' });
    expect(stateOf('never')).toMatchObject({ status: 'pending', worker: null });
    expect(placeOf('never')).toBe(new Date(0).toISOString());
    expect(told).toEqual(['held last', 'held never', 'freed last', 'freed never']);
    // Nothing beats on, which the closed file could only refuse.
    const beats = set.mock.results.map(({ value }) => value);
    expect(clear.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(beats));
    for (const spy of [set, clear]) spy.mockRestore();
    change(`DELETE FROM "workflow_runs" WHERE "idempotency_key" = 'never'`);
  });

  test('a step is written once, when it has ended, by nobody but the holder of its run', async () => {
    const workflowRunId = await add('steps', new Date(0));
    expect(await claim('holder')).toBe(workflowRunId);
    const step = (stepName: string, workerId = 'holder') =>
      backend.createStepAttempt({
        workflowRunId,
        workerId,
        stepName,
        kind: 'function',
        config: {},
        context: null,
      });
    const stored = async () => {
      const { data } = await backend.listStepAttempts({ workflowRunId });
      return new Map(
        data.map(({ stepName, status, output, error }) => [stepName, [status, output ?? error]]),
      );
    };
    const of = { workflowRunId, workerId: 'holder' };
    const [good, bad, late] = [await step('good'), await step('bad'), await step('late')];
    expect((await stored()).size).toBe(0);
    const error = { message: 'no' };
    await backend.completeStepAttempt({ ...of, stepAttemptId: good.id, output: '{}' });
    await backend.failStepAttempt({ ...of, stepAttemptId: bad.id, error });
    const both = new Map<string, Any[]>([
      ['good', ['completed', '{}']],
      ['bad', ['failed', error]],
    ]);
    expect(await stored()).toEqual(both);
    await expect(step('other', 'stranger')).rejects.toThrow();
    change(`UPDATE "workflow_runs" SET "worker_id" = 'next' WHERE "id" = ?`, workflowRunId);
    const ended = { ...of, stepAttemptId: late.id, output: '{}' };
    await expect(backend.completeStepAttempt(ended)).rejects.toThrow();
    await expect(step('more')).rejects.toThrow();
    expect(await stored()).toEqual(both);
    change('DELETE FROM "step_attempts"');
    change(`DELETE FROM "workflow_runs" WHERE "id" = ?`, workflowRunId);
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
});

describe('leases', () => {
  const log = createLog('silent');

  describe('the rescue of a thread', () => {
    /** What is done about the run `a` if it is to blame. */
    const BLAMED = ['a captioning 0.98', 'back b+c', 'back a last'];
    const held = (runId: string): HeldRun => ({
      runId,
      workflowRunId: `w${runId}`,
      workerId: 'me',
    });
    const computing = (id: number, runId: string, counted: boolean): FromWorker => ({
      type: 'computing',
      id,
      runId,
      stage: 'captioning',
      counted,
    });

    function rescue(cancelled: string[] = [], broken = false) {
      const done: string[] = [];
      const ids = (runs: readonly HeldRun[]) => runs.map(({ runId }) => runId).join('+');
      const watch = new ThreadWatch(() => null);
      for (const runId of ['a', 'b', 'c']) watch.receive({ type: 'held', run: held(runId) });
      const made = createThreadRescue({
        queue: {
          extend: async (runs) => void done.push(`extend ${ids(runs)}`),
          async release(runs, last) {
            await new Promise(setImmediate);
            done.push(`back ${ids(runs)}${last ? ' last' : ''}`);
          },
        },
        attempts: {
          async count(runId) {
            if (broken) throw new Error('the database is away');
            done.push(`+${runId}`);
          },
          uncount: async (runIds) => void done.push(...runIds.map((runId) => `-${runId}`)),
        },
        store: { report: async (...what) => void done.push(what.join(' ')) },
        queries: {
          cancelRequested: async (ids) => cancelled.filter((runId) => ids.includes(runId)),
        },
        log,
      });
      return { watch, done, ...made };
    }

    test('moves the stuck run to the end with its count, and the others to the front without', async () => {
      const { watch, done, free } = rescue();
      watch.receive(computing(1, 'a', true));
      watch.receive(computing(2, 'b', true));
      await free(watch, true);
      expect(done).toEqual(['-a', 'b captioning 0.98', 'back a+c', 'back b last']);
    });

    test.each([
      ['counts a waiting run if the thread got stuck in it', false, true, ['+a', ...BLAMED]],
      [
        'does not count a waiting run if the thread crashed',
        false,
        false,
        ['back a+b+c', 'back  last'],
      ],
      ['leaves a computing run counted if the thread crashed', true, false, BLAMED],
    ])('%s', async (_, counted, isStuck, expected) => {
      const { watch, done, free } = rescue();
      watch.receive(computing(1, 'a', counted));
      await free(watch, isStuck);
      expect(done).toEqual(expected);
    });

    test('makes a cancelled run the next, so that it ends', async () => {
      const { watch, done, free, keep } = rescue(['a']);
      expect(await keep(watch)).toBe(false);
      watch.receive(computing(1, 'a', true));
      expect(await keep(watch)).toBe(true);
      await free(watch, true);
      expect(done.at(-1)).toBe('back a');
    });
  });

  test('repeated work never overlaps, and stops after the work in progress', async () => {
    let begun = 0;
    const hold = Promise.withResolvers<void>();
    const repetition = repeat(1, () => {
      begun += 1;
      return hold.promise;
    });
    await Bun.sleep(30);
    expect(begun).toBe(1);
    let stopped = false;
    const stopping = repetition.stop().then(() => (stopped = true));
    await Bun.sleep(5);
    expect(stopped).toBe(false);
    hold.resolve();
    await stopping;
  });
});
