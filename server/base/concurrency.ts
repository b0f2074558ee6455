/**
 * Limits and shares work that runs at the same time, and pauses between retries, with a timer that tests can replace.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

/**
 * Runs work in the order of the requests, when a slot is free.
 * @param signal when it aborts, work that is still waiting is dropped, and rejects with its reason immediately
 */
type Limiter = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Creates a queue that lets `count` pieces of work run at a time.
 * @example
 * const limited = createLimiter(4);
 * await limited(() => upload(file));
 */
export function createLimiter(count: number): Limiter {
  const limit = pLimit(count);
  return async (work, signal) => {
    if (!signal) return limit(work);
    signal.throwIfAborted();
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const started = limit(() => {
      // From here on, the work itself reacts to an abort.
      signal.removeEventListener('abort', leave);
      signal.throwIfAborted();
      return work();
    });
    return Promise.race([started, left.promise]);
  };
}

/**
 * Maps with `count` at a time. Results are in the order of the items, which may arrive one by one. After the first
 * failure no further work starts, and the failure is thrown once the work in progress has ended.
 * @example
 * const pieces = await mapConcurrently(plan.pieces, 2, (piece) => transcribe(piece));
 */
export async function mapConcurrently<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const limited = createLimiter(count);
  let failure: { error: unknown } | null = null;
  const one = async (item: T): Promise<R> => {
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by another item meanwhile
    if (failure) throw failure.error;
    try {
      return await work(item);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  const begun: Promise<R>[] = [];
  try {
    for await (const item of items) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by another item meanwhile
      if (failure) break;
      const result = limited(() => one(item));
      result.catch(() => {});
      begun.push(result);
    }
  } catch (error) {
    failure ??= { error };
  }
  await Promise.allSettled(begun);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by an item, or by their source
  if (failure) throw failure.error;
  return Promise.all(begun);
}

/** Creates a value on first use and keeps it; a failure is not kept. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Creates a value on first use and keeps it. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Counts what owners hold at the same time, from zero; an owner that holds nothing is forgotten. */
export function createCounts() {
  const counts = new Map<string, number>();
  const of = (owner: string): number => counts.get(owner) ?? 0;
  const add = (owner: string, change: number): void => {
    const now = of(owner) + change;
    if (now > 0) counts.set(owner, now);
    else counts.delete(owner);
  };
  return {
    of,
    add,
    /** Adds one; @returns a function that takes it back, once. */
    hold(owner: string): () => void {
      let held = 1;
      add(owner, held);
      return () => {
        add(owner, -held);
        held = 0;
      };
    },
  };
}

/**
 * Runs work when it is its owner's turn.
 * @param signal when it aborts, work that is still waiting is dropped, and rejects with its reason
 */
export type Turns = <T>(owner: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Lets `atOnce` pieces of work run at a time, `ofOne` of one owner; owners with waiting work take turns.
 * @example
 * const inTurn = createTurns(2, 1);
 * await inTurn(workspace, () => convert(file), signal);
 */
export function createTurns(atOnce: number, ofOne: number): Turns {
  /** The work that waits. The first owner is served next, and then becomes the last. */
  const waiting = new Map<string, (() => void)[]>();
  const { of: atWork, hold } = createCounts();
  let free = atOnce;
  const fill = (): void => {
    for (const [owner, [start, ...others]] of waiting) {
      if (free === 0) return;
      if (!start || atWork(owner) >= ofOne) continue;
      waiting.delete(owner);
      if (others.length > 0) waiting.set(owner, others);
      free -= 1;
      start();
    }
  };
  return async (owner, work, signal) => {
    signal.throwIfAborted();
    const { promise, resolve: start, reject } = Promise.withResolvers<() => void>();
    const begin = () => start(hold(owner));
    const drop = () => {
      const others = (waiting.get(owner) ?? []).filter((one) => one !== begin);
      if (others.length > 0) waiting.set(owner, others);
      else waiting.delete(owner);
      reject(signal.reason);
    };
    signal.addEventListener('abort', drop, { once: true });
    waiting.set(owner, [...(waiting.get(owner) ?? []), begin]);
    fill();
    const leave = await promise.finally(() => signal.removeEventListener('abort', drop));
    try {
      return await work();
    } finally {
      leave();
      free += 1;
      fill();
    }
  };
}

/** The source of time for retries and time-outs, which the creator of a service may replace. */
export interface Waiting {
  /**
   * Resolves after this many milliseconds.
   * @throws the signal's reason once it is aborted
   */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that is aborted after this many milliseconds. */
  deadline(ms: number): AbortSignal;
}

/** Real time. */
export const realTime: Waiting = {
  async pause(ms, signal) {
    await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  },
  deadline: (ms) => AbortSignal.timeout(ms),
};

export interface Repetition {
  /** Stops repeating, and waits for work in progress. */
  stop(): Promise<void>;
}

/**
 * Repeats work at an interval, without overlaps.
 * @param work never rejects; it reports its failures itself
 */
export function repeat(everyMs: number, work: () => Promise<unknown>): Repetition {
  let underWay: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    underWay ??= work().finally(() => (underWay = null));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
