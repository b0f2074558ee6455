/**
 * The threads that do the work of requests which the thread that answers must not do itself: everything that reads more
 * than HERE_BYTES of text, or that may take longer than a few milliseconds. There is one pool for all routes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import type { Log } from '../../base/log.ts';
import { ownThreadId, threadTime } from '../../base/processor-time.ts';
import { isOutage, StorageUnavailable } from '../../storage/outage.ts';
import { Problem } from '../problems.ts';

/** The most bytes of foreign or stored text that the answering thread reads for one request. */
export const HERE_BYTES = 65_536;
/**
 * The time for one piece of work, in milliseconds; the thread is then ended, and replaced when it is needed. Where the
 * system tells it, this is processor time: on a busy machine a thread that yields to requests gets little of it.
 */
const DEADLINE_MS = 10_000;
/** The longest time for it on a clock, as a multiple. */
const PATIENCE = 6;
/** The additional time for a MiB of text, if the work says how long its texts are. */
const MS_PER_MIB = 1000;
/** The size of work after which a thread gives its memory back, in bytes; otherwise each would keep what it once took. */
const LARGE_BYTES = 2 ** 20;
/** The time that work has left once its client is gone: most is done by then, and a thread takes as long to be replaced. */
const GONE_MS = 1000;
/** The time for a thread to start. */
const START_MS = 30_000;
/**
 * The time in which a request has its response, from its first wait on: servers and proxies close a connection that has
 * been silent for a minute.
 */
const ANSWER_MS = 50_000;
/** The most pieces of work that wait, of all workspaces and of one. */
const MAX_WAITING = 256;
const MAX_WAITING_OF_ONE = 32;

/** A request that waits for a response. */
interface WaitingRequest {
  /** The time at which it is given up; null until it has waited for work. */
  until: number | null;
  ms: number;
  /** Aborts when its client is gone. */
  signal: AbortSignal | undefined;
}

const requests = new AsyncLocalStorage<WaitingRequest>();

/** Whether the client of the current request is gone. */
export const isGone = (): boolean => requests.getStore()?.signal?.aborted ?? false;

/**
 * Responds to a request, whose waits for work then end in time for a refusal, or when its client is gone. Once its
 * response has begun, it may wait for as long as it likes.
 * @param signal aborts when the client is gone
 */
export async function answeredInTime(
  answer: () => Promise<Response>,
  ms: number = ANSWER_MS,
  signal?: AbortSignal,
): Promise<Response> {
  const request: WaitingRequest = { until: null, ms, signal };
  try {
    return await requests.run(request, answer);
  } finally {
    request.until = Infinity;
  }
}

/**
 * Gives up a wait of the current request when its response is due.
 * @returns a function that ends the watch
 */
export function whenDue(giveUp: () => void): () => void {
  const request = requests.getStore();
  if (!request) return () => {};
  request.until ??= performance.now() + request.ms;
  if (request.until === Infinity) return () => {};
  const timer = setTimeout(giveUp, Math.max(0, request.until - performance.now()));
  return () => clearTimeout(timer);
}

/** Ends a wait of the current request when its client is gone. @returns a function that ends the watch */
function whenGone(leave: (reason: unknown) => void): () => void {
  const signal = requests.getStore()?.signal;
  if (!signal) return () => {};
  const gone = () => leave(signal.reason);
  signal.addEventListener('abort', gone, { once: true });
  if (signal.aborted) gone();
  return () => signal.removeEventListener('abort', gone);
}

/** Does a piece of work: a pure function of values that can be sent to another thread. */
export type Task<Input, Output> = (input: Input) => Output | Promise<Output>;

/** The tasks of a pool by name; both sides of the pool have the same. */
type Tasks = Record<string, Task<never, unknown>>;

/** How much work a task is, and for whom: of one request, or of several that share its outcome. */
interface TaskLoad {
  /** Whether it is finished even if its client is gone, because it writes. */
  writes?: boolean;
  /** The workspace that it is done for; each has a share of the threads. */
  workspace: string;
  /**
   * For tasks whose time is proportional to the length of their texts: that length in bytes or characters. Work on at
   * most HERE_BYTES is done at once, in this thread, and work on more gets time by it.
   */
  size?: number;
}

/** Does work outside the answering thread. */
export interface WorkPool {
  /**
   * Does a task.
   * @throws {Problem} 503 with Retry-After if too much work is waiting, or if it takes too long, its wait included; any
   *   problem that the task throws
   * @throws {StorageUnavailable} if a store that the task needs is down or full
   */
  do<Input, Output>(task: Task<Input, Output>, input: Input, load: TaskLoad): Promise<Output>;
  /** Ends the threads; work in progress is refused. */
  close(): void;
}

interface WorkPoolOptions {
  tasks: Tasks;
  /** The program of a thread, which calls `serveTasks` with the same tasks. */
  entry: URL;
  log: Log;
  /** The number of threads; at least two, so that no workspace has all of them. */
  threads?: number;
  deadlineMs?: number;
}

interface Job {
  name: string;
  input: unknown;
  workspace: string;
  /** The length of its texts, if it is known. */
  size: number;
  /** The time for it, in milliseconds. */
  ms: number;
  done: PromiseWithResolvers<unknown>;
}

/** What a thread is told of it. */
type Sent = Pick<Job, 'name' | 'input' | 'size'>;

/** A thread and the work that it does. */
interface PoolThread {
  thread: Worker;
  job: Job | null;
  timer: ReturnType<typeof setTimeout> | undefined;
  started: boolean;
  /** Its id in the operating system; null if it is unknown. */
  id: number | null;
}

type FromThread =
  | { type: 'ready'; id: number | null }
  | { type: 'done'; output: unknown }
  | { type: 'refused'; status: number; code: string; message: string; options: Problem['options'] }
  | { type: 'failed'; message: string; isOutage: boolean };

/** Creates the pool. Its threads start when there is work for them. */
export function createWorkPool(options: WorkPoolOptions): WorkPool {
  const { tasks, entry, log, deadlineMs = DEADLINE_MS } = options;
  const { threads: most = Math.max(2, Math.min(8, availableParallelism() - 1)) } = options;
  const names = new Map<unknown, string>(Object.entries(tasks).map(([name, task]) => [task, name]));
  const hands = new Set<PoolThread>();
  /** The waiting work of each workspace. The first workspace is served next, and then becomes the last. */
  const waiting = new Map<string, Job[]>();
  let isClosed = false;

  const atWork = (workspace: string): number =>
    [...hands].filter(({ job }) => job?.workspace === workspace).length;

  /** Takes the next work; a workspace whose work already occupies all threads but one has to wait. */
  const next = (): Job | undefined => {
    for (const [workspace, jobs] of waiting) {
      if (atWork(workspace) >= most - 1) continue;
      waiting.delete(workspace);
      const job = jobs.shift();
      if (jobs.length > 0) waiting.set(workspace, jobs);
      return job;
    }
    return undefined;
  };

  const distribute = (): void => {
    for (;;) {
      const idle = [...hands].find(({ job }) => job === null);
      if (!idle && hands.size >= most) return;
      const job = next();
      if (!job) return;
      give(idle ?? start(), job);
    }
  };

  const give = (hand: PoolThread, job: Job): void => {
    hand.job = job;
    if (hand.started) limit(hand, job);
    else hand.timer = setTimeout(() => end(hand, tooLong(), job.name), START_MS);
    try {
      const { name, input, size } = job;
      hand.thread.postMessage({ name, input, size }, transferable(input));
    } catch (error) {
      finish(hand)?.done.reject(error);
    }
  };

  /** Ends a thread once its work has had its time. */
  const limit = (hand: PoolThread, { ms, name }: Job): void => {
    const began = performance.now();
    const time = () => (hand.id === null ? null : threadTime(hand.id));
    const before = time();
    const wait = (left: number): void => {
      hand.timer = setTimeout(() => {
        const now = time();
        const used = before === null || now === null ? ms : now - before;
        const more = Math.min(ms - used, ms * PATIENCE - (performance.now() - began));
        if (more <= 0) end(hand, tooLong(), name);
        else wait(more);
      }, left);
    };
    wait(ms);
  };

  /** Frees a thread and returns its work. */
  const finish = (hand: PoolThread): Job | null => {
    const { job } = hand;
    clearTimeout(hand.timer);
    hand.job = null;
    return job;
  };

  /** Ends a thread that is stuck or broken; its work is refused. */
  const end = (hand: PoolThread, error: unknown, reason: string): void => {
    if (!hands.delete(hand)) return;
    hand.thread.terminate();
    const job = finish(hand);
    if (job) log.error('work_thread_ended', { reason, task: job.name, workspace: job.workspace });
    job?.done.reject(error);
    distribute();
  };

  const handAt = (job: Job): PoolThread | undefined => [...hands].find((one) => one.job === job);

  /** Drops work for which nobody waits, at once, or soon if it is being done. */
  const abandon = (job: Job, reason: unknown): void => {
    if (!handAt(job)) return drop(job, reason);
    setTimeout(() => {
      const hand = handAt(job);
      if (hand) end(hand, reason, `${job.name}, whose client is gone`);
    }, GONE_MS);
  };

  /** Refuses work whose request is due, whether it waits or is being done. */
  const giveUp = (job: Job): void => {
    const hand = handAt(job);
    if (hand) end(hand, tooLong(), job.name);
    else drop(job, tooMuch());
  };

  /** Removes work that waits. */
  const drop = (job: Job, reason: unknown): void => {
    const left = (waiting.get(job.workspace) ?? []).filter((one) => one !== job);
    if (left.length > 0) waiting.set(job.workspace, left);
    else waiting.delete(job.workspace);
    job.done.reject(reason);
  };

  const start = (): PoolThread => {
    const thread = new Worker(entry, { type: 'module' });
    // An idle thread does not keep a program alive. Deno has no such function, and does not need it.
    (thread as { unref?: () => void }).unref?.();
    const hand: PoolThread = { thread, job: null, timer: undefined, started: false, id: null };
    hands.add(hand);
    thread.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
      if (data.type === 'ready') {
        hand.started = true;
        hand.id = data.id;
        clearTimeout(hand.timer);
        if (hand.job) limit(hand, hand.job);
        return;
      }
      const done = finish(hand)?.done;
      if (data.type === 'done') done?.resolve(data.output);
      if (data.type === 'refused') {
        done?.reject(new Problem(data.status, data.code, data.message, data.options));
      }
      if (data.type === 'failed') {
        done?.reject(
          data.isOutage ? new StorageUnavailable(data.message) : new Error(data.message),
        );
      }
      distribute();
    });
    thread.addEventListener('error', (event) => {
      // Deno would otherwise end the whole process.
      event.preventDefault();
      end(hand, Problem.internal(), event.message);
    });
    thread.addEventListener('close', () => end(hand, Problem.internal(), 'it ended'));
    return hand;
  };

  return {
    async do<Input, Output>(
      task: Task<Input, Output>,
      input: Input,
      { workspace, size = Infinity, writes = false }: TaskLoad,
    ): Promise<Output> {
      const name = names.get(task);
      if (name === undefined) throw new Error(`${task.name} is not a task of the pool`);
      if (size <= HERE_BYTES) return task(input);
      const own = waiting.get(workspace) ?? [];
      const all = [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
      if (isClosed || own.length >= MAX_WAITING_OF_ONE || all >= MAX_WAITING) throw tooMuch();
      const done = Promise.withResolvers<unknown>();
      const ms = deadlineMs + (Number.isFinite(size) ? (size / 2 ** 20) * MS_PER_MIB : 0);
      const job: Job = { name, input, workspace, size, ms, done };
      own.push(job);
      waiting.set(workspace, own);
      const inTime = whenDue(() => giveUp(job));
      const present = writes ? () => {} : whenGone((reason) => abandon(job, reason));
      distribute();
      return (await done.promise.finally(inTime).finally(present)) as Output;
    },
    close() {
      isClosed = true;
      for (const jobs of waiting.values()) for (const { done } of jobs) done.reject(tooMuch());
      waiting.clear();
      for (const hand of hands) {
        hands.delete(hand);
        hand.thread.terminate();
        finish(hand)?.done.reject(tooMuch());
      }
    },
  };
}

const tooMuch = (): Problem =>
  Problem.unavailable('The service is busy with other large requests. Try again soon.');
const tooLong = (): Problem =>
  Problem.unavailable(
    'This took too long and was given up. Send less at once, or try again when the service is less busy.',
    30,
  );

/** The bytes in a value that can be handed over instead of being copied: those that fill their whole buffer. */
function transferable(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Uint8Array) return transferable([value]);
  // Object.values takes seconds for a long array.
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.flatMap((part) =>
    part instanceof Uint8Array &&
    part.buffer instanceof ArrayBuffer &&
    part.byteLength > 0 &&
    part.byteLength === part.buffer.byteLength
      ? [part.buffer]
      : [],
  );
}

/** The thread's side of the pool: does the tasks that are sent to it, one after the other. */
export function serveTasks(self: Worker, tasks: Tasks): void {
  const post = (message: FromThread, transfer: ArrayBuffer[] = []): void =>
    self.postMessage(message, transfer);
  const doTask = async ({ name, input }: Sent): Promise<void> => {
    try {
      const output = await tasks[name]!(input as never);
      post({ type: 'done', output }, transferable(output));
    } catch (error) {
      if (error instanceof Problem) {
        const { status, code, message, options } = error;
        post({ type: 'refused', status, code, message, options });
        return;
      }
      const message = String(error instanceof Error ? error.stack : error);
      post({ type: 'failed', message, isOutage: isOutage(error) });
    }
  };
  const serve = async (sent: Sent): Promise<void> => {
    await doTask(sent);
    if (sent.size > LARGE_BYTES && sent.size !== Infinity) collectGarbage();
  };
  self.addEventListener('message', ({ data }: MessageEvent<Sent>) => void serve(data));
  post({ type: 'ready', id: ownThreadId() });
}

/** Gives memory back to the system, on Bun; Deno does so by itself. */
const collectGarbage = (): void =>
  (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
