/** Repeats work at intervals for as long as the process lives. */

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
