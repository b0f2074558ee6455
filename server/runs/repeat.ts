/** Repeats work at intervals while the process lives. */

export interface Repetition {
  /** Stops repeating, and waits for work in progress. */
  stop(): Promise<void>;
}

/**
 * Repeats work at an interval, never twice at a time.
 * @param work never rejects: it reports its own failures
 */
export function repeat(everyMs: number, work: () => Promise<void>): Repetition {
  let underWay: Promise<void> | null = null;
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
