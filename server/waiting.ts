/** The timer for pauses between retries and for time-outs, which tests can replace. */
import { setTimeout as sleep } from 'node:timers/promises';

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
