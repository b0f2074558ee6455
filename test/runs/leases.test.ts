/** Held runs are released, monitored and cleaned up, with time and calls controlled by the test. */
import { describe, expect, test } from 'bun:test';
import type { Backend } from 'openworkflow/internal';
import { createLog } from '../../server/log.ts';
import { leaseRuns, type HeldRun } from '../../server/runs/leased-backend.ts';
import type { FromWorker } from '../../server/runs/messages.ts';
import { repeat } from '../../server/runs/repeat.ts';
import { createThreadRescue } from '../../server/runs/thread-rescue.ts';
import { ThreadWatch } from '../../server/runs/thread-watch.ts';
import type { Any } from '../support/servers/client.ts';

const log = createLog('silent');

describe('a lease', () => {
  /** A store of two runs that records its calls. */
  function leases() {
    const asked: Any[] = [];
    const free = ['w1', 'w2'];
    let claims = 0;
    const backend = {
      async claimWorkflowRun(params: Any) {
        claims += 1;
        asked.push(['claim', params.leaseDurationMs]);
        const id = free.shift();
        return id ? { id, idempotencyKey: `run of ${id}` } : null;
      },
      async extendWorkflowRunLease({ workflowRunId, leaseDurationMs }: Any) {
        asked.push(['extend', workflowRunId, leaseDurationMs]);
      },
      async rescheduleWorkflowRunAfterFailedStepAttempt(params: Any) {
        asked.push(['back', params.workflowRunId, params.availableAt.getTime()]);
      },
      async completeWorkflowRun({ workflowRunId }: Any) {
        asked.push(['done', workflowRunId]);
      },
    } as unknown as Backend;
    const told: string[] = [];
    let slots = 0;
    const runs = leaseRuns(backend, () => (slots += 1), {
      held: ({ runId }) => told.push(`held ${runId}`),
      freed: ({ runId }) => told.push(`freed ${runId}`),
    });
    const claim = (workerId: string) =>
      runs.backend.claimWorkflowRun({ workerId, leaseDurationMs: 1 });
    return { runs, asked, told, claim, free, claims: () => claims, slots: () => slots };
  }

  test('lasts 15 s, and claims that wait for one that found nothing do not query again', async () => {
    const { runs, claim, asked, claims } = leases();
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(claim));
    expect(claims()).toBe(3);
    expect(asked[0]).toEqual(['claim', 15_000]);
    await claim('f');
    expect(claims()).toBe(4);
    // openworkflow's own request to extend it, which is for half a minute.
    const own = { workflowRunId: 'w1', workerId: 'a', leaseDurationMs: 30_000 };
    await runs.backend.extendWorkflowRunLease(own);
    expect(asked.at(-1)).toEqual(['extend', 'w1', 15_000]);
  });

  test('that was lost ends for its old holder only, once the run is taken again', async () => {
    const { runs, claim, free } = leases();
    await claim('old');
    free.unshift('w1');
    await claim('new');
    expect(runs.held()).toBe(2);
    await runs.backend.completeWorkflowRun({ workflowRunId: 'w1', workerId: 'old' } as never);
    expect(runs.held()).toBe(1);
  });

  test('is released to the front of the queue, and announced once', async () => {
    const { runs, claim, asked, told, slots } = leases();
    await claim('a');
    await claim('b');
    await runs.extend();
    await runs.backend.completeWorkflowRun({ workflowRunId: 'w1', workerId: 'a' } as never);
    expect([runs.held(), slots()]).toEqual([1, 1]);
    await runs.handOver();
    expect(asked.slice(2)).toEqual([
      ['extend', 'w1', 15_000],
      ['extend', 'w2', 15_000],
      ['done', 'w1'],
      ['back', 'w2', 0],
    ]);
    // The execution that held it ends later.
    await runs.backend.completeWorkflowRun({ workflowRunId: 'w2', workerId: 'b' } as never);
    expect(runs.held()).toBe(0);
    expect(told).toEqual([
      'held run of w1',
      'held run of w2',
      'freed run of w1',
      'freed run of w2',
    ]);
  });
});

describe('the rescue of a thread', () => {
  /** What is done about the run `a` if it is to blame. */
  const BLAMED = ['a captioning 0.98', 'back b+c', 'back a last'];
  const held = (runId: string): HeldRun => ({ runId, workflowRunId: `w${runId}`, workerId: 'me' });
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
        uncount: async (runId) => void done.push(`-${runId}`),
      },
      store: { report: async (...what) => void done.push(what.join(' ')) },
      queries: {
        cancelRequested: async (ids) => cancelled.filter((runId) => ids.includes(runId)),
      },
      log,
    });
    return { watch, done, ...made };
  }

  test('keeps a thread once at a time, however slowly the database answers', async () => {
    const { watch, done, keep } = rescue(['a']);
    watch.receive(computing(1, 'a', true));
    expect(await Promise.all([keep(watch), keep(watch)])).toEqual([true, false]);
    expect(done).toEqual(['extend a+b+c']);
  });

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

  test('counts all runs if none had announced a computation', async () => {
    const { watch, done, free } = rescue();
    await free(watch, true);
    expect(done.slice(0, 3)).toEqual(['+a', '+b', '+c']);
  });

  test('makes a cancelled run the next, so that it ends', async () => {
    const { watch, done, free, keep } = rescue(['a']);
    expect(await keep(watch)).toBe(false);
    watch.receive(computing(1, 'a', true));
    expect(await keep(watch)).toBe(true);
    await free(watch, true);
    expect(done.at(-1)).toBe('back a');
  });

  test('releases runs even if they could not be counted', async () => {
    const { watch, done, free } = rescue([], true);
    watch.receive(computing(1, 'a', false));
    await free(watch, true);
    expect(done).toEqual(['back b+c', 'back a last']);
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
