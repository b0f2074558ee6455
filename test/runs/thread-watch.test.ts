/** Detecting a stuck worker thread, and the run to blame. */
import { describe, expect, test } from 'bun:test';
import type { FromWorker } from '../../server/runs/messages.ts';
import { ThreadWatch } from '../../server/runs/thread-watch.ts';

const computing = (id: number, runId: string, counted = true): FromWorker => ({
  type: 'computing',
  id,
  runId,
  stage: 'payload',
  counted,
});
const run = (runId: string) => ({ runId, workflowRunId: `w-${runId}`, workerId: 'me' });

/** A watch of a thread that is ready, with this processor time. */
function watched(time: () => number | null = () => null): ThreadWatch {
  const watch = new ThreadWatch(time);
  watch.receive({ type: 'beat', thread: 7 });
  watch.receive({ type: 'ready' });
  return watch;
}

describe('a thread', () => {
  test('is alive while it sends heartbeats, silent without, and stuck after its deadline', () => {
    const watch = watched();
    expect([watch.lives, watch.isSilent, watch.isStuck(20_000)]).toEqual([true, false, false]);
    watch.pass(2000);
    expect([watch.lives, watch.isSilent]).toEqual([true, true]);
    watch.pass(3000);
    expect(watch.lives).toBe(true);
    watch.pass(500);
    expect(watch.lives).toBe(false);
    watch.pass(14_000);
    expect(watch.isStuck(20_000)).toBe(false);
    watch.pass(500);
    expect(watch.isStuck(20_000)).toBe(true);
    watch.receive({ type: 'beat', thread: 7 });
    expect([watch.lives, watch.isSilent, watch.isStuck(20_000)]).toEqual([true, false, false]);
  });

  test('that has not started is not alive, and has a minute to start', () => {
    const watch = new ThreadWatch();
    watch.receive({ type: 'beat', thread: 7 });
    watch.pass(59_000);
    expect([watch.lives, watch.isSilent, watch.isStuck(1000)]).toEqual([false, false, false]);
    watch.pass(1000);
    expect(watch.isStuck(1000)).toBe(true);
  });

  test('that got hardly any processor time has three times as long', () => {
    let computed = 5000;
    const watch = watched(() => computed);
    watch.pass(2000);
    computed += 1900;
    watch.pass(18_000);
    expect(watch.isStuck(20_000)).toBe(false);
    computed += 100;
    expect(watch.isStuck(20_000)).toBe(true);
    computed -= 100;
    watch.pass(40_000);
    expect(watch.isStuck(20_000)).toBe(true);
  });

  test('that falls silent again is judged by what it has computed since then', () => {
    let computed = 5000;
    const watch = watched(() => computed);
    watch.pass(2000);
    watch.receive({ type: 'beat', thread: 7 });
    computed += 5000;
    watch.pass(2000);
    computed += 100;
    watch.pass(18_000);
    expect(watch.isStuck(20_000)).toBe(false);
  });

  test('reports the runs it holds', () => {
    const watch = watched();
    for (const id of ['a', 'b']) watch.receive({ type: 'held', run: run(id) });
    watch.receive({ type: 'freed', run: run('a') });
    expect(watch.held).toEqual([run('b')]);
  });
});

describe('the suspect', () => {
  test('is the latest computation, before anything that waits', () => {
    const watch = watched();
    expect(watch.suspect).toBeUndefined();
    watch.receive(computing(1, 'waits', false));
    expect(watch.suspect?.runId).toBe('waits');
    watch.receive(computing(2, 'first'));
    watch.receive(computing(3, 'second'));
    watch.receive(computing(4, 'waits too', false));
    expect(watch.suspect?.runId).toBe('second');
    expect(watch.bystanders(watch.suspect)).toEqual(['first']);
    watch.receive({ type: 'computed', id: 3 });
    expect(watch.suspect?.runId).toBe('first');
    expect(watch.bystanders()).toEqual(['first']);
  });

  test('is not a run whose count is still being stored: that count is corrected with the others, once', () => {
    const watch = watched();
    watch.receive(computing(1, 'stuck'));
    watch.receive(computing(2, 'other'));
    watch.receive(computing(3, 'other'));
    watch.receive(computing(4, 'stuck'));
    watch.receive({ type: 'counting', id: 5, runId: 'coming' });
    expect(watch.suspect?.runId).toBe('stuck');
    expect(watch.bystanders(watch.suspect)).toEqual(['other', 'coming']);
    watch.receive({ type: 'computed', id: 5 });
    expect(watch.bystanders(watch.suspect)).toEqual(['other']);
  });
});
