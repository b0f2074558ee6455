/** Waiting: the pauses between tries, and how long an answer is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The time that retries and limits go by. Whoever makes a service may give it another. */
export interface Waiting {
  /**
   * Resolves after so many milliseconds.
   * @throws the signal's reason once it is aborted
   */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that is aborted after so many milliseconds. */
  deadline(ms: number): AbortSignal;
}

/** The clock on the wall. */
export const realTime: Waiting = {
  async pause(ms, signal) {
    signal?.throwIfAborted();
    await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  },
  deadline: (ms) => AbortSignal.timeout(ms),
};
