/** Watchers of runs: the events that notify them, and those that do not. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { createLocalRunEvents, type RunEvent } from '../../server/runs/run-events.ts';
import type { Runs } from '../../server/runs/service.ts';
import { watchSummary } from '../../server/runs/watch.ts';
import { createWatches } from '../../server/runs/watches.ts';
import { until } from '../support/servers/client.ts';

const log = createLog('silent');

/** Watches whose queries return the results set by the test. */
function watching(lookEveryMs: number) {
  let hear: (event: RunEvent) => void = () => {};
  const changes = new Map<string, number>();
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
  const woken = (runId: string, awaited: 'changes' | 'end') => {
    const gone = new AbortController();
    const watch = watches.watch(runId, awaited, gone.signal);
    const seen = { times: 0, gone, watch };
    void (async () => {
      while (!gone.signal.aborted) {
        await watch.next();
        if (!gone.signal.aborted) seen.times += 1;
      }
    })();
    return seen;
  };
  return { watches, changes, woken, tell: (event: RunEvent) => hear(event), asked };
}

test('a change notifies watchers of changes, an end all watchers of the run, and nobody else', async () => {
  const { watches, woken, tell } = watching(600_000);
  const [one, end, other] = [woken('a', 'changes'), woken('a', 'end'), woken('b', 'changes')];
  tell({ type: 'changed', runId: 'a' });
  await Bun.sleep(1);
  expect([one.times, end.times, other.times]).toEqual([1, 0, 0]);
  tell({ type: 'ended', runId: 'a' });
  await Bun.sleep(1);
  expect([one.times, end.times, other.times]).toEqual([2, 1, 0]);
  for (const { gone, watch } of [one, end, other]) {
    gone.abort();
    watch.close();
  }
  watches.close();
});

test('a query notifies of changes since the last one only', async () => {
  const { watches, woken, changes, asked } = watching(5);
  changes.set('a', 5);
  const one = woken('a', 'changes');
  const looked = async (times: number) => until(async () => asked.length >= times);
  await looked(1);
  await until(async () => one.times === 1);
  await looked(3);
  expect(one.times).toBe(1);
  changes.set('a', 6);
  await until(async () => one.times === 2);
  one.gone.abort();
  one.watch.close();
  watches.close();
});

test('of two watchers of a run, one goes on when the other is closed', async () => {
  const { watches, woken, tell } = watching(600_000);
  const [one, other] = [woken('a', 'changes'), woken('a', 'changes')];
  one.gone.abort();
  one.watch.close();
  tell({ type: 'changed', runId: 'a' });
  await new Promise(setImmediate);
  expect([one.times, other.times]).toEqual([0, 1]);
  other.gone.abort();
  other.watch.close();
  watches.close();
});

test('a run without watchers is no longer asked for, and can be watched again', async () => {
  const { watches, woken, tell, asked } = watching(5);
  const [one, other] = [woken('a', 'changes'), woken('b', 'changes')];
  await until(async () => asked.length > 0);
  expect(asked[0]).toEqual(['a', 'b']);
  one.gone.abort();
  one.watch.close();
  const before = asked.length;
  await until(async () => asked.length > before);
  expect(asked.at(-1)).toEqual(['b']);
  const again = woken('a', 'end');
  // A watch that is closed twice does not end another.
  one.watch.close();
  tell({ type: 'ended', runId: 'a' });
  await new Promise(setImmediate);
  expect(again.times).toBe(1);
  for (const { gone, watch } of [other, again]) {
    gone.abort();
    watch.close();
  }
  watches.close();
});

test('a watcher that is no longer wanted stops waiting', async () => {
  const { watches } = watching(600_000);
  const gone = new AbortController();
  const watch = watches.watch('a', 'changes', gone.signal);
  let isOver = false;
  const next = watch.next().then(() => (isOver = true));
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  gone.abort();
  await next;
  watch.close();
  watches.close();
});

test('the watchers of a run that is gone are notified by every query, since nothing else tells them', async () => {
  const { watches, woken } = watching(5);
  const one = woken('erased', 'end');
  await until(async () => one.times > 1);
  one.gone.abort();
  one.watch.close();
  watches.close();
});

test('watchers are notified of changes but not by queries that find none; closed ones cost nothing', async () => {
  const events = createLocalRunEvents();
  let asked: string[] = [];
  const watches = createWatches(events, async (ids) => ((asked = ids), new Map()), log);
  const gone = new AbortController();
  const one = watches.watch('run', 'changes', gone.signal);
  const end = watches.watch('run', 'end', gone.signal);
  let woken = 0;
  const next = one.next().then(() => (woken += 1));
  events.publish({ type: 'changed', runId: 'another' });
  await Bun.sleep(1);
  expect(woken).toBe(0);
  events.publish({ type: 'changed', runId: 'run' });
  await next;
  let ended = false;
  const over = end.next().then(() => (ended = true));
  events.publish({ type: 'changed', runId: 'run' });
  await Bun.sleep(1);
  expect(ended).toBe(false);
  events.publish({ type: 'ended', runId: 'run' });
  await over;
  one.close();
  end.close();
  expect(asked).toEqual([]);
  watches.close();
});

test('a watcher is closed with its reader', async () => {
  let closed = 0;
  const run = { state: 'running', stage: null, progress: 0, finishedAt: null };
  const runs = {
    summary: async () => run,
    watch: () => ({ next: () => new Promise(() => {}), close: () => (closed += 1) }),
  } as unknown as Runs;
  for await (const found of watchSummary(runs, 'org', 'run', new AbortController().signal)) {
    expect(found).toBe(run as never);
    break;
  }
  expect(closed).toBe(1);
});
