/** The threads of a process, with doubles of the threads and of the timers. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test, spyOn } from 'bun:test';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import process from 'node:process';
import { createLog } from '../../server/base/log.ts';
import type { FromWorker, ToWorker } from '../../server/runs/threads/messages.ts';
import { ThreadWatch } from '../../server/runs/threads/thread-watch.ts';
import { needs } from '../support/requirements.ts';
import { testServer } from '../support/servers/test-server.ts';
import { createLocalRunEvents } from '../../server/runs/store/run-events.ts';
import { startWorkerThreads } from '../../server/runs/threads/worker-threads.ts';
import type { Any } from '../support/servers/client.ts';

setDefaultTimeout(300000);

/** What a thread answers to its start. */
let answer: FromWorker = { type: 'ready' };
/** The threads that were started, in order. */
const threads: Thread[] = [];

class Thread extends EventTarget {
  readonly asked: ToWorker[] = [];
  ends = 0;

  constructor() {
    super();
    threads.push(this);
  }

  postMessage(message: ToWorker): void {
    this.asked.push(message);
    if (message.type === 'start') this.say(answer);
  }

  terminate(): void {
    this.ends += 1;
  }

  say(data: FromWorker): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  crash(message: string): ErrorEvent {
    const event = new ErrorEvent('error', { message, cancelable: true });
    this.dispatchEvent(event);
    return event;
  }
}

/** The timers that have been set and not cleared. */
const timers = new Map<unknown, { ms: number; work: () => void }>();
const set = (work: () => void, ms: number) => {
  const timer = {};
  timers.set(timer, { ms, work });
  return timer;
};
const clear = (timer: unknown) => void timers.delete(timer);
const real = globalThis.Worker;
let spies: { mockRestore(): void }[] = [];

/** Replaces threads and timers by the doubles, before each test. */
function useDoubles(): void {
  answer = { type: 'ready' };
  threads.length = 0;
  timers.clear();
  globalThis.Worker = Thread as never;
  spies = [
    spyOn(globalThis, 'setInterval').mockImplementation(set as never),
    spyOn(globalThis, 'clearInterval').mockImplementation(clear),
    spyOn(globalThis, 'setTimeout').mockImplementation(set as never),
    spyOn(globalThis, 'clearTimeout').mockImplementation(clear),
  ];
}

/** Restores the real ones, after each test. */
function restoreReal(): void {
  globalThis.Worker = real;
  for (const spy of spies) spy.mockRestore();
}

/** Makes every thread that starts from now on report a fault instead. */
const failStarts = (message: string): void => void (answer = { type: 'broken', message });

/** Handles everything that has resolved. */
const settled = () => new Promise((done) => setImmediate(done));

/** Starts threads whose rescue is recorded. */
async function started({ workers = 1, slots = 1 } = {}) {
  const freed: unknown[] = [];
  const keeping: ((isCancelled: boolean) => void)[] = [];
  const lines: Any[] = [];
  const running = await startWorkerThreads(
    { workers, computeDeadlineMs: 3000, speech: { slots } } as never,
    {
      events: createLocalRunEvents(),
      metrics: {} as never,
      rescue: {
        keep: () => new Promise((resolve) => keeping.push(resolve)),
        free: async (watch: ThreadWatch, isStuck: boolean) =>
          void freed.push([watch.held, isStuck]),
      },
      tempDir: '/tmp/of/process',
      log: createLog('debug', (line) => void lines.push(JSON.parse(line))),
    },
  );
  const supervision = [...timers].find(([, { ms }]) => ms === 500)!;
  return {
    running,
    freed,
    keeping,
    lines,
    supervision,
    /** Lets time pass for the supervision. */
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 500) supervision[1].work();
    },
  };
}

/** The time-out that has been set, other than the supervision, after removing it. */
function nextTimer(supervision: unknown) {
  const [[timer, { ms, work }] = [null, { ms: 0, work() {} }], ...more] = [...timers].filter(
    ([one]) => one !== supervision,
  );
  expect(more).toEqual([]);
  timers.delete(timer);
  return { ms, work };
}

describe('the threads of a process, with doubles of the threads and of the timers', () => {
  beforeEach(useDoubles);
  afterEach(restoreReal);

  const run = { runId: 'run_1', workflowRunId: 'w1', workerId: 'me' };

  describe('a thread', () => {
    test('that cannot start is ended, and the process does not start', async () => {
      failStarts('no packs');
      await expect(started({ workers: 2 })).rejects.toThrow('no packs');
      expect(threads.map(({ ends }) => ends)).toEqual([1, 1]);
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
  });

  describe('the end of the process', () => {
    test('waits for every thread, and replaces none any more', async () => {
      const { running, freed, supervision } = await started({ workers: 2 });
      let isOver = false;
      const stopped = running.stop(7000).then(() => (isOver = true));
      expect(timers.has(supervision[0])).toBe(false);
      expect([...timers.values()].map(({ ms }) => ms)).toEqual([8000, 8000]);
      for (const { asked } of threads)
        expect(asked.at(-1)).toEqual({ type: 'stop', graceMs: 7000 });
      threads[0]!.say({ type: 'stopped' });
      await settled();
      expect([isOver, ...threads.map(({ ends }) => ends)]).toEqual([false, 1, 0]);
      threads[1]!.say({ type: 'stopped' });
      await stopped;
      threads[1]!.crash('it ended');
      expect([threads.map(({ ends }) => ends), freed, timers.size]).toEqual([[1, 1], [], 0]);
    });
  });
});

describe('detecting a stuck worker thread, and the run to blame', () => {
  const computing = (id: number, runId: string, counted = true): FromWorker => ({
    type: 'computing',
    id,
    runId,
    stage: 'payload',
    counted,
  });
  /** A watch of a thread that is ready, with this processor time. */
  function watched(time: () => number | null = () => null): ThreadWatch {
    const watch = new ThreadWatch(time);
    watch.receive({ type: 'beat', thread: 7 });
    watch.receive({ type: 'ready' });
    return watch;
  }

  describe('a thread', () => {
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
  });
});

describe('child processes of a thread end with it, on both runtimes', () => {
  const program = fileURLToPath(new URL('./stuck-thread-children.ts', import.meta.url));
  const deno = fileURLToPath(new URL('../../node_modules/deno/deno', import.meta.url));

  test.concurrent.each([
    ['Bun', [process.execPath, program]],
    ['Deno', [deno, 'run', '-A', program]],
  ])('a child process ends with its stuck thread: %s', async (_name, [command, ...args]) => {
    const { stdout } = await promisify(execFile)(command ?? '', args);
    const { pid, lives } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(pid).toBeGreaterThan(0);
    expect(lives).toBe(false);
  });
});

describe('thread priority', async () => {
  const test = needs(
    existsSync('/proc/self/task'),
    'threads have priorities of their own on Linux',
  );
  const server = await testServer({ env: { WORKERS: '2' } });

  test('worker threads have lower priority than the thread that answers requests', async () => {
    const tasks = `/proc/${server.pid}/task`;
    const niceness = async (id: string) => {
      // A thread may end in the meantime.
      const stat = await readFile(`${tasks}/${id}/stat`, 'utf8').catch(() => '');
      // A thread's name may contain spaces; the nice value is the 17th field after it (proc(5)).
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    };
    const all = await Promise.all((await readdir(tasks)).map(niceness));
    // The tests themselves may run at a lower priority.
    expect(await niceness(String(server.pid))).toBe(getPriority());
    expect(all.filter((nice) => nice >= 10).length).toBeGreaterThanOrEqual(2);
  });
});
