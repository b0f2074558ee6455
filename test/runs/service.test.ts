/** Runs as the rest of the program sees them: submitted, read, watched, cancelled, and the services behind them. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '../../server/config/config.ts';
import { createLog, type Log } from '../../server/base/log.ts';
import { cancelledBeforeStart } from '../../server/runs/store/cancelled.ts';
import { createResultQuota } from '../../server/runs/store/result-quota.ts';
import { type RunEvent, createLocalRunEvents } from '../../server/runs/store/run-events.ts';
import { startRunServices } from '../../server/run-services.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { createRuns, type DoWork, IdempotencyConflict } from '../../server/runs/service.ts';
import { watchUpdates } from '../../server/runs/watch.ts';
import { createWatches, type LastChange } from '../../server/runs/store/watches.ts';
import { QuotaExceeded } from '../../server/storage/audio-usage.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { until } from '../support/servers/client.ts';
import { completedRun } from '../support/servers/completed-run.ts';
import { COMPLETED, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { createPartialTranscripts } from '../../server/runs/store/partial-transcripts.ts';
import type { RunQueue } from '../../server/runs/queue/queue.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import type { Database } from '../../server/storage/database.ts';

setDefaultTimeout(300000);

/** Creates the parts; `queued` receives each run that enters the queue. */
function runParts(
  database: Database,
  queued: (runId: string) => void,
  log: Log = createLog('silent'),
) {
  const events = createLocalRunEvents();
  const start = async ({ runId }: { runId: string }) => queued(runId);
  return {
    store: createRunStore(database),
    queries: createRunQueries(database),
    partial: createPartialTranscripts(database),
    resultQuota: createResultQuota(database, null),
    queue: { start } as Partial<RunQueue> as RunQueue,
    events,
    // Regular polling would hide that an event is not sent.
    watches: createWatches(events, async () => new Map(), log, 1_000_000_000),
    log,
  };
}

const { database } = await sqliteDatabase();
const webhooks = createWebhookStore(database);
const told: RunEvent[] = [];
const queued: string[] = [];
const parts = runParts(database, (runId) => void queued.push(runId));
const { store, events } = parts;
events.subscribe((event) => void told.push(event));
const runs = createRuns(parts);
const payload = { audio: { key: 'talk.mp3' } };

const submit = (organizationId: string, more: object = {}) =>
  runs.submit({ organizationId, keyId: 'key', payload, ...more });
const rowOf = (id: string) =>
  database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
beforeEach(() => {
  told.length = 0;
  queued.length = 0;
});

describe('another workspace', () => {
  test('cannot read a run', async () => {
    const [mine, other] = [newWorkspace(), newWorkspace()];
    const id = await submit(mine);
    expect(await runs.summary(other, id)).toBeNull();
    expect(await runs.list(other, 10, null)).toEqual([]);
    expect(await runs.summary(mine, id)).toMatchObject({ id, organizationId: mine });
  });

  test('can use the same idempotency key for its own run', async () => {
    const [mine, other] = [newWorkspace(), newWorkspace()];
    const first = await submit(mine, { idempotencyKey: 'same' });
    const second = await submit(other, { idempotencyKey: 'same' });
    expect(second).not.toBe(first);
    // The repetition is answered with the run of the workspace that asks.
    expect(await submit(other, { idempotencyKey: 'same' })).toBe(second);
    expect(await submit(mine, { idempotencyKey: 'same' })).toBe(first);
    expect(queued).toEqual([first, second]);
  });
});

describe('a request', () => {
  test('is refused if its idempotency key was used for another payload', async () => {
    const mine = newWorkspace();
    await submit(mine, { idempotencyKey: 'once' });
    const other = { audio: { key: 'another.mp3' } };
    const again = submit(mine, { idempotencyKey: 'once', payload: other });
    await expect(again).rejects.toThrow(IdempotencyConflict);
    expect(queued).toHaveLength(1);
  });

  test('beyond the quota is neither stored nor queued, for all that repeat it meanwhile', async () => {
    const mine = newWorkspace();
    const request = { organizationId: mine, keyId: 'key', idempotencyKey: 'k' };
    const full = createRuns({ ...parts, resultQuota: createResultQuota(database, 1000) });
    const asked = [payload, payload, { ...payload, topic: 'another' }].map((each) =>
      full.submit({ ...request, payload: each }),
    );
    const refusal = { status: 'rejected' as const, reason: expect.any(QuotaExceeded) };
    expect(await Promise.allSettled(asked)).toEqual([refusal, refusal, refusal]);
    expect([await runs.list(mine, 10, null), queued]).toEqual([[], []]);
  });

  test('is announced, and recorded as queued, so that it is not queued again', async () => {
    const id = await submit(newWorkspace());
    expect(queued).toEqual([id]);
    expect(told).toEqual([{ type: 'queued' }]);
    for (let turn = 0; turn < 100 && (await rowOf(id)).enqueued === 0; turn += 1);
    expect((await rowOf(id)).enqueued).toBe(1);
    queued.length = 0;
    await runs.recover(Date.now() + 1000);
    expect(queued).not.toContain(id);
  });
});

describe('a run', () => {
  test('that waits is cancelled immediately, and its webhooks are notified', async () => {
    const mine = newWorkspace();
    const { id: hook } = (await webhooks.create(mine, 'key', { url: 'https://a.example/' }))!;
    const id = await submit(mine);
    told.length = 0;
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(true);
    expect(told).toEqual([
      { type: 'cancel', runId: id },
      { type: 'ended', runId: id },
    ]);
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'cancelled' });
    expect(await webhooks.deliveries(mine, hook)).toMatchObject([
      { event: 'run.failed', runId: id },
    ]);
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(false);
  });

  test('whose payload is long is compared and cancelled elsewhere, or by a worker if there is no room', async () => {
    const mine = newWorkspace();
    const glossary = Array.from({ length: 1000 }, (_, at) => `Term ${at} ${'x'.repeat(100)}`);
    const sizes: Record<string, number> = {};
    let isFull = false;
    const work: DoWork = async (task, input, { workspace, size }) => {
      expect(workspace).toBe(mine);
      sizes[task.name] = size;
      if (isFull) throw new Error('too much work');
      return task(input);
    };
    const web = createRuns({ ...parts, work });
    const request = { organizationId: mine, keyId: 'key', idempotencyKey: 'again' };
    const long = { ...payload, glossary };
    const id = await web.submit({ ...request, payload: long });
    // The same payload in another order.
    expect(await web.submit({ ...request, payload: { glossary, ...payload } })).toBe(id);
    const other = web.submit({ ...request, payload });
    await expect(other).rejects.toThrow(IdempotencyConflict);
    const cancel = async () => web.cancel((await web.summary(mine, id))!);
    isFull = true;
    expect(await cancel()).toBe(true);
    expect(await web.summary(mine, id)).toMatchObject({ state: 'queued', cancelRequested: true });
    isFull = false;
    expect(await cancel()).toBe(true);
    expect(await web.summary(mine, id)).toMatchObject({ state: 'cancelled' });
    const size = JSON.stringify(long).length;
    expect(sizes).toEqual({ isSamePayload: size, cancelledBeforeStart: size });
  });

  test('in progress is requested to stop', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const before = (await runs.summary(mine, id))!;
    await store.markRunning(id);
    told.length = 0;
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(true);
    // A worker may also have taken it after it was read.
    expect(await runs.cancel(before)).toBe(true);
    expect(told.map(({ type }) => type)).toEqual(['cancel', 'cancel']);
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'running', cancelRequested: true });
    const result = cancelledBeforeStart({ run: before, payload: JSON.stringify(payload) });
    expect(await store.endQueued(id, 'cancelled', result)).toBe(false);
  });

  test('that has ended cannot be cancelled, and nobody is notified', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const before = (await runs.summary(mine, id))!;
    await store.finish(id, 'failed', COMPLETED, REACHED);
    told.length = 0;
    expect(await runs.cancel(before)).toBe(false);
    expect(told).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ cancel_requested: 0, state: 'failed', progress: 0.5 });
  });
});

describe('a wait', () => {
  test('ends with its run, or if the run is deleted', async () => {
    const id = await submit(newWorkspace());
    const waiting = runs.wait(id, new AbortController().signal);
    await store.finish(id, 'completed', COMPLETED, REACHED);
    events.publish({ type: 'ended', runId: id });
    await waiting;
    await runs.wait(`run_${crypto.randomUUID()}`, new AbortController().signal);
  });

  test('ends with its signal, and the run continues', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const controller = new AbortController();
    const waiting = runs.wait(id, controller.signal);
    controller.abort(new Error('the client has left'));
    await expect(waiting).rejects.toThrow('the client has left');
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'queued', cancelRequested: false });
  });
});

test('whoever follows a run has no watch once it has ended, or once it is gone', async () => {
  const { signal } = new AbortController();
  for (const run of [{ finishedAt: 1 }, null]) {
    const ended: string[] = [];
    const watch = () => ({ next: async () => {}, close: () => void ended.push('watch') });
    const watched = { watch, summary: async () => run as never, heard: async () => [] };
    const seen = await Array.fromAsync(
      watchUpdates(watched, { organizationId: 'o', id: 'r' }, 0, signal),
    );
    expect([seen.length, ended]).toEqual([run ? 1 : 0, ['watch']]);
  }
});

describe('the services behind runs', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map(removeFolder)));

  /** Starts the services of a role; their worker thread takes no runs. */
  async function started(
    role: Config['role'],
    env: Record<string, string> = {},
    entry = new URL('./idle-thread.ts', import.meta.url),
  ) {
    const dataDir = await temporaryFolder();
    folders.push(dataDir);
    let log = '';
    const config = readConfig({ DATA_DIR: dataDir, ...env });
    const services = await startRunServices(
      { ...config, role },
      createLog('debug', (line) => void (log += line)),
      entry,
    );
    const temporary = () =>
      readdirSync(join(dataDir, 'tmp'), { withFileTypes: true }).filter((one) => one.isDirectory());
    return { ...services, dataDir, temporary, log: () => log };
  }

  const ends = async (one: { drain(graceMs: number): Promise<void>; close(): Promise<void> }) => {
    await one.drain(0);
    await one.close();
  };
  const request = { organizationId: 'org', keyId: 'key', payload };

  test('a process of all roles reports database, recordings and workers, including a dead worker', async () => {
    const one = await started('all');
    expect(Object.keys(one.health)).toEqual(['database', 'workers', 'audioStore']);
    for (const check of Object.values(one.health)) await check();
    // Its folder is its own, so there is nothing to warn of.
    expect(one.log()).not.toContain('audio_store_is_a_folder');
    expect(one.temporary()).toHaveLength(1);
    await one.drain(0);
    await expect(one.health['workers']!()).rejects.toThrow('alive');
    await one.close();
    await expect(one.health['database']!()).rejects.toThrow();
    expect(one.temporary()).toEqual([]);
  });

  test('the end of a run in a thread reaches waiting clients and the metrics', async () => {
    const one = await started('all');
    const runId = await one.runs.submit(request);
    const run = (await one.runs.summary('org', runId))!;
    const watch = one.runs.watch(runId, 'end', new AbortController().signal);
    await one.database
      .updateTable('runs')
      .set({ state: 'running' })
      .where('id', '=', runId)
      .execute();
    expect(await one.runs.cancel(run)).toBe(true);
    await watch.next();
    watch.close();
    const metrics = await one.metrics.expose();
    expect(metrics).toContain('captioner_runs_finished_total{state="cancelled"} 1');
    expect(metrics).toContain(
      'captioner_provider_errors_total{provider="deepgram",code="provider_timeout"} 1',
    );
    expect(metrics).toMatch(/captioner_runs\{state="running"\} 1/);
    await ends(one);
  });

  test('a process whose thread cannot work does not start, and reports why', async () => {
    const broken = `self.onmessage = () => self.postMessage({ type: 'broken', message: 'no packs' });`;
    const entry = URL.createObjectURL(new Blob([broken], { type: 'text/javascript' }));
    await expect(started('all', {}, new URL(entry))).rejects.toThrow('no packs');
  });

  test('a crashed thread is logged and replaced', async () => {
    const one = await started('all');
    const workers = one.health['workers']!;
    const run = { id: 'crash', organizationId: 'org', state: 'running', finishedAt: null };
    await createRunStore(one.database).insert({ ...request, id: 'crash', idempotencyKey: null });
    await one.database.updateTable('runs').set({ state: 'running' }).execute();
    await one.runs.cancel(run as never);
    await until(async () => one.log().includes('worker_thread_crashed'));
    await expect(workers()).rejects.toThrow('no worker thread');
    await until(async () =>
      workers().then(
        () => true,
        () => false,
      ),
    );
    await ends(one);
  });

  describe('a starting process', () => {
    test('removes the incomplete uploads of the last one, however new', async () => {
      const dataDir = await temporaryFolder();
      folders.push(dataDir);
      const incoming = join(dataDir, 'audio', 'incoming');
      mkdirSync(incoming, { recursive: true });
      writeFileSync(join(incoming, 'cut.part'), 'half of a talk');
      const one = await started('web', { DATA_DIR: dataDir });
      expect(readdirSync(incoming)).toEqual([]);
      await ends(one);
    });

    test('queues runs that another process stored but did not queue, and deletes expired data', async () => {
      const one = await started('web', { RESULT_TTL: '1h' });
      // One was cancelled before it was queued.
      for (const id of ['run_left', 'run_over']) {
        await createRunStore(one.database).insert({ ...request, id, idempotencyKey: null });
      }
      await one.database
        .updateTable('runs')
        .set({ state: 'cancelled', finished_at: Date.now() })
        .where('id', '=', 'run_over')
        .execute();
      const { runId } = await completedRun(one.database, 'org', []);
      const finished_at = Date.now() - 2 * 3_600_000;
      await one.database
        .updateTable('runs')
        .set({ finished_at, updated_at: finished_at })
        .where('id', '=', runId)
        .execute();
      expect(await one.begin()).toBe(1);
      // Draining waits for the round of housekeeping that has begun.
      await one.drain(60_000);
      expect(await one.runs.summary('org', runId)).toBeNull();
      expect(await one.begin()).toBe(0);
      await one.drain(60_000);
      await one.close();
    });
  });

  test('draining waits for housekeeping in progress, but not beyond the grace time', async () => {
    const web = await started('web');
    const sweeping = Promise.withResolvers<void>();
    const swept = Promise.withResolvers<void>();
    spyOn(web.audio, 'sweep').mockImplementation(async () => {
      sweeping.resolve();
      await swept.promise;
    });
    await web.begin();
    await sweeping.promise;
    const drained: string[] = [];
    const patient = web.drain(600_000).then(() => drained.push('patient'));
    await web.drain(0);
    expect(drained).toEqual([]);
    swept.resolve();
    await patient;
    await web.close();
  });
});

describe('failed submissions', () => {
  test('a run is queued although that cannot be recorded', async () => {
    const logged = Promise.withResolvers<string>();
    const log = createLog('info', (line) => logged.resolve(JSON.parse(line).event));
    const markEnqueued = () => Promise.reject(new Error('the database is away'));
    const failing = createRuns({ ...parts, log, store: { ...store, markEnqueued } });
    const id = await failing.submit({ organizationId: newWorkspace(), keyId: 'key', payload });
    expect([queued, await logged.promise]).toEqual([[id], 'queueing_not_recorded']);
  });

  test('an idempotency key whose run disappears meanwhile is in conflict', async () => {
    const request = {
      organizationId: newWorkspace(),
      keyId: 'key',
      payload,
      idempotencyKey: 'once',
    };
    const forgetful = createRuns({
      ...parts,
      store: { ...store, byIdempotencyKey: async () => null },
    });
    await forgetful.submit(request);
    await expect(forgetful.submit(request)).rejects.toBeInstanceOf(IdempotencyConflict);
    expect(queued).toHaveLength(1);
  });
});

describe('watchers of runs', () => {
  const log = createLog('silent');

  /** Watches whose queries return the results set by the test. */
  function watching(lookEveryMs: number) {
    let hear: (event: RunEvent) => void = () => {};
    const changes = new Map<string, LastChange>();
    const asked: string[][] = [];
    const watches = createWatches(
      { subscribe: (listener: typeof hear) => void (hear = listener) } as never,
      async (ids) => {
        asked.push(ids);
        return new Map(ids.flatMap((id) => (changes.has(id) ? [[id, changes.get(id)!]] : [])));
      },
      log,
      lookEveryMs,
    );
    const ends: (() => void)[] = [() => watches.close()];
    const woken = (runId: string, awaited: 'changes' | 'end') => {
      const gone = new AbortController();
      const watch = watches.watch(runId, awaited, gone.signal);
      const seen = { times: 0 };
      ends.push(() => gone.abort(), watch.close);
      void (async () => {
        while (!gone.signal.aborted) {
          await watch.next();
          if (!gone.signal.aborted) seen.times += 1;
        }
      })();
      return seen;
    };
    const close = () => ends.forEach((end) => end());
    return { changes, woken, tell: (event: RunEvent) => hear(event), asked, close };
  }

  test('a change notifies watchers of changes, an end all watchers of the run, and nobody else', async () => {
    const { woken, tell, close } = watching(600_000);
    const [one, end, other] = [woken('a', 'changes'), woken('a', 'end'), woken('b', 'changes')];
    tell({ type: 'changed', runId: 'a' });
    await Bun.sleep(1);
    expect([one.times, end.times, other.times]).toEqual([1, 0, 0]);
    tell({ type: 'ended', runId: 'a' });
    await Bun.sleep(1);
    expect([one.times, end.times, other.times]).toEqual([2, 1, 0]);
    close();
  });

  test('a query notifies of changes since the last one only', async () => {
    const { woken, changes, asked, close } = watching(5);
    changes.set('a', { at: 5, isEnd: false });
    const [one, end] = [woken('a', 'changes'), woken('a', 'end')];
    const looked = async (times: number) => until(async () => asked.length >= times);
    await looked(1);
    await until(async () => one.times === 1);
    await looked(3);
    expect(one.times).toBe(1);
    changes.set('a', { at: 6, isEnd: false });
    await until(async () => one.times === 2);
    // Whoever waits for the end need not look before.
    expect(end.times).toBe(0);
    changes.set('a', { at: 7, isEnd: true });
    await until(async () => one.times === 3 && end.times === 1);
    close();
  });

  test('the watchers of a run that is gone are notified by every query, since nothing else tells them', async () => {
    const { woken, close } = watching(5);
    const one = woken('erased', 'end');
    await until(async () => one.times > 1);
    close();
  });
});
