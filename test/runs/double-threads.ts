/** Worker threads on doubles of the threads and of the timers, which a test lets pass by hand. */
import { expect, spyOn } from 'bun:test';
import { createLog } from '../../server/log.ts';
import type { FromWorker, ToWorker } from '../../server/runs/threads/messages.ts';
import { createLocalRunEvents, type RunEvent } from '../../server/runs/run-events.ts';
import type { ThreadWatch } from '../../server/runs/threads/thread-rescue.ts';
import { startWorkerThreads } from '../../server/runs/threads/worker-threads.ts';
import type { Any } from '../support/servers/client.ts';

/** What a thread answers to its start. */
let answer: FromWorker = { type: 'ready' };
/** The threads that were started, in order. */
export const threads: Thread[] = [];

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
export const timers = new Map<unknown, { ms: number; work: () => void }>();
const set = (work: () => void, ms: number) => {
  const timer = {};
  timers.set(timer, { ms, work });
  return timer;
};
const clear = (timer: unknown) => void timers.delete(timer);
const real = globalThis.Worker;
let spies: { mockRestore(): void }[] = [];

/** Replaces threads and timers by the doubles, before each test. */
export function useDoubles(): void {
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
export function restoreReal(): void {
  globalThis.Worker = real;
  for (const spy of spies) spy.mockRestore();
}

/** Makes every thread that starts from now on report a fault instead. */
export const failStarts = (message: string): void => void (answer = { type: 'broken', message });

/** Handles everything that has resolved. */
export const settled = () => new Promise((done) => setImmediate(done));

/** Starts threads whose rescue is recorded. */
export async function started({ workers = 1, slots = 1 } = {}) {
  const events = createLocalRunEvents();
  const published: RunEvent[] = [];
  events.subscribe((event) => published.push(event));
  const counted: unknown[] = [];
  const freed: unknown[] = [];
  const keeping: ((isCancelled: boolean) => void)[] = [];
  const lines: Any[] = [];
  const running = await startWorkerThreads(
    { workers, computeDeadlineMs: 3000, speech: { slots } } as never,
    {
      events,
      metrics: {
        runFinished: (...what: unknown[]) => counted.push(what),
        providerFailed: (...what: unknown[]) => counted.push(what),
      } as never,
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
    events,
    published,
    counted,
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
export function nextTimer(supervision: unknown) {
  const [[timer, { ms, work }] = [null, { ms: 0, work() {} }], ...more] = [...timers].filter(
    ([one]) => one !== supervision,
  );
  expect(more).toEqual([]);
  timers.delete(timer);
  return { ms, work };
}
