/** Limits concurrency; waiting work starts in the order of arrival. */

/** Does work when its turn comes; rejects at once with the signal's reason while it waits. */
export type Turns = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Creates a queue that lets `atOnce` through. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting = new Set<() => void>();

  const turn = (signal: AbortSignal): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(go);
        reject(signal.reason);
      };
      const go = () => {
        waiting.delete(go);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  return async (signal, work) => {
    signal.throwIfAborted();
    await turn(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else free += 1;
    }
  };
}
