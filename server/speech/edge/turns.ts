/** A few at once, the rest in the order they came. */

/** Does work when its turn comes; rejects with the signal's reason while it waits. */
export type Turns = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Makes a queue that lets `atOnce` through. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (signal, work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
