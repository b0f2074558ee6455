/** The threads of a process, with doubles of the threads and of the timers. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  failStarts,
  nextTimer,
  restoreReal,
  settled,
  started,
  threads,
  timers,
  useDoubles,
} from './double-threads.ts';

beforeEach(useDoubles);
afterEach(restoreReal);

const run = { runId: 'run_1', workflowRunId: 'w1', workerId: 'me' };

describe('a thread', () => {
  test.each([
    [1, 5, 5],
    [2, 5, 2],
    [3, 2, 1],
  ])('%d of them share %d slots: %d each', async (workers, slots, share) => {
    await started({ workers, slots });
    expect(threads).toHaveLength(workers);
    for (const { asked } of threads) {
      expect(asked).toMatchObject([{ type: 'start', slots: share, tempDir: '/tmp/of/process' }]);
    }
  });

  test('receives queued and cancelled runs, and nothing else', async () => {
    const { events } = await started({ workers: 2 });
    events.publish({ type: 'changed', runId: 'run_1' });
    events.publish({ type: 'queued' });
    events.publish({ type: 'cancel', runId: 'run_1' });
    for (const { asked } of threads) {
      expect(asked.slice(1)).toEqual([{ type: 'wake' }, { type: 'cancel', runId: 'run_1' }]);
    }
  });

  test('reports the progress of runs, their ends and the errors of providers', async () => {
    const { published, counted } = await started();
    const [thread] = threads;
    thread!.say({ type: 'changed', runId: 'run_1' });
    thread!.say({ type: 'finished', state: 'failed', timingsMs: { total: 1 } });
    thread!.say({ type: 'ended', runId: 'run_1' });
    thread!.say({ type: 'provider_error', provider: 'deepgram', code: 'provider_timeout' });
    thread!.say({ type: 'held', run });
    expect(published.map(({ type }) => type)).toEqual(['changed', 'ended']);
    expect(counted).toEqual([
      ['failed', { total: 1 }],
      ['deepgram', 'provider_timeout'],
    ]);
  });

  test('that cannot start is ended, and the process does not start', async () => {
    failStarts('no packs');
    await expect(started({ workers: 2 })).rejects.toThrow('no packs');
    expect(threads.map(({ ends }) => ends)).toEqual([1, 1]);
  });

  test('that reports a fault later goes on', async () => {
    const { freed } = await started();
    threads[0]!.say({ type: 'broken', message: 'a message could not be handled' });
    expect([threads[0]!.ends, freed]).toEqual([0, []]);
  });
});

describe('a thread that crashes', () => {
  test('is ended once, its runs are freed, and another one takes its place', async () => {
    const { running, freed, lines, supervision } = await started();
    threads[0]!.say({ type: 'held', run });
    expect(threads[0]!.crash('it broke').defaultPrevented).toBe(true);
    threads[0]!.dispatchEvent(new Event('close'));
    expect(threads[0]!.ends).toBe(1);
    expect(freed).toEqual([[[run], false]]);
    expect(lines).toMatchObject([{ message: 'it broke' }]);
    await expect(running.check()).rejects.toThrow('alive');
    const { ms, work } = nextTimer(supervision[0]);
    expect([ms, threads.length]).toEqual([500, 1]);
    work();
    expect(threads).toHaveLength(2);
    await running.check();
  });

  test('is replaced too if it only ends', async () => {
    const { freed } = await started();
    threads[0]!.dispatchEvent(new Event('close'));
    expect(freed).toEqual([[[], false]]);
  });

  test('is replaced after growing pauses as long as no other can start', async () => {
    const { supervision } = await started();
    failStarts('no memory');
    threads[0]!.crash('no memory');
    const pauses: number[] = [];
    for (let time = 0; time < 9; time += 1) {
      const { ms, work } = nextTimer(supervision[0]);
      pauses.push(ms);
      work();
      await settled();
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('does not affect the others, with which the process stays alive', async () => {
    const { running, events } = await started({ workers: 2 });
    threads[0]!.crash('it broke');
    await running.check();
    events.publish({ type: 'queued' });
    expect(threads.map(({ asked }) => asked.length)).toEqual([1, 2]);
  });
});

describe('a silent thread', () => {
  test('is replaced after its deadline, and its run is to blame', async () => {
    const { freed, pass } = await started();
    threads[0]!.say({ type: 'held', run });
    pass(2500);
    expect(freed).toEqual([]);
    pass(500);
    expect(freed).toEqual([[[run], true]]);
    expect(threads[0]!.ends).toBe(1);
  });

  test('is replaced if its run was cancelled', async () => {
    const { freed, keeping, pass } = await started();
    pass(1500);
    expect(keeping).toEqual([]);
    pass(500);
    keeping.shift()!(false);
    await settled();
    expect(freed).toEqual([]);
    pass(500);
    keeping.shift()!(true);
    await settled();
    expect(freed).toEqual([[[], true]]);
  });

  test('that speaks again meanwhile goes on, although its run was cancelled', async () => {
    const { freed, keeping, pass } = await started();
    pass(2000);
    threads[0]!.say({ type: 'beat', thread: null });
    keeping.shift()!(true);
    await settled();
    expect([threads[0]!.ends, freed]).toEqual([0, []]);
  });
});

describe('the end of the process', () => {
  test('waits for every thread, and replaces none any more', async () => {
    const { running, freed, supervision } = await started({ workers: 2 });
    let isOver = false;
    const stopped = running.stop(7000).then(() => (isOver = true));
    expect(timers.has(supervision[0])).toBe(false);
    expect([...timers.values()].map(({ ms }) => ms)).toEqual([9000, 9000]);
    for (const { asked } of threads) expect(asked.at(-1)).toEqual({ type: 'stop', graceMs: 7000 });
    threads[0]!.say({ type: 'stopped' });
    await settled();
    expect([isOver, ...threads.map(({ ends }) => ends)]).toEqual([false, 1, 0]);
    threads[1]!.say({ type: 'stopped' });
    await stopped;
    threads[1]!.crash('it ended');
    expect([threads.map(({ ends }) => ends), freed, timers.size]).toEqual([[1, 1], [], 0]);
  });

  test('frees the runs of a thread that does not stop in time, to blame only if it is silent', async () => {
    const { running, freed, pass } = await started({ workers: 2 });
    pass(2000);
    threads[0]!.say({ type: 'held', run });
    const stopped = running.stop(0);
    for (const { work } of timers.values()) work();
    await stopped;
    expect(freed).toEqual([
      [[run], false],
      [[], true],
    ]);
    expect(threads.map(({ ends }) => ends)).toEqual([1, 1]);
  });

  test('keeps a thread that was about to be replaced from being started', async () => {
    const { running, supervision } = await started();
    threads[0]!.crash('it broke');
    const { work } = nextTimer(supervision[0]);
    await running.stop(0);
    work();
    expect(threads).toHaveLength(1);
  });
});
