/** The one way to do several things at a time, but no more than so many. */
import pLimit from 'p-limit';

/**
 * Does work when its turn comes, in the order it was asked for.
 * @param signal once it aborts, work that still waits is dropped and rejects with its reason at once
 */
export type Turns = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Makes a queue that lets `count` through at a time.
 * @example
 * const turns = createTurns(4);
 * await turns(() => upload(file));
 */
export function createTurns(count: number): Turns {
  const limit = pLimit(count);
  return async (work, signal) => {
    if (!signal) return limit(work);
    signal.throwIfAborted();
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const turn = limit(() => {
      // From here on an abort is for the work to answer.
      signal.removeEventListener('abort', leave);
      signal.throwIfAborted();
      return work();
    });
    return Promise.race([turn, left.promise]);
  };
}

/**
 * Maps with `count` at a time; results are in the order of the items, which may arrive one by one. The first
 * failure keeps the rest from starting, and is thrown when those under way have ended.
 * @example
 * const pieces = await mapAtOnce(plan.pieces, 2, (piece) => transcribe(piece));
 */
export async function mapAtOnce<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const turns = createTurns(count);
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
      const result = turns(() => one(item));
      result.catch(() => {});
      begun.push(result);
    }
  } catch (error) {
    failure ??= { error };
  }
  const done = await Promise.allSettled(begun);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by an item, or by their source
  if (failure) throw failure.error;
  return done.map((result) => {
    if (result.status === 'rejected') throw (failure ?? { error: result.reason }).error;
    return result.value;
  });
}
