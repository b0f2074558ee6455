/** What is done every so often while the process lives. */

export interface Repetition {
  /** Begins no more, and waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Does something every so often, never twice at a time.
 * @param work never rejects: what fails is its own to tell of
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
