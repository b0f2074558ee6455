/**
 * A timer that takes no time: pauses end at once and are recorded; timeouts expire when a test says
 * so.
 */
import { realTime, type Waiting } from '../../../server/base/concurrency.ts';

export interface NoWaiting extends Waiting {
  /** All pauses so far, in milliseconds. */
  pauses: number[];
  /** All timeouts so far, in milliseconds. */
  limits: number[];
  /** Expires all timeouts set so far. */
  runOut(): void;
}

/** Creates a separate timer for a test. */
export function noWaiting(): NoWaiting {
  const pauses: number[] = [];
  const limits: number[] = [];
  const set = new Set<AbortController>();
  return {
    pauses,
    limits,
    async pause(ms, signal) {
      pauses.push(ms);
      await realTime.pause(0, signal);
    },
    deadline(ms) {
      limits.push(ms);
      const controller = new AbortController();
      set.add(controller);
      return controller.signal;
    },
    runOut() {
      for (const controller of set) controller.abort(new DOMException('late', 'TimeoutError'));
      set.clear();
    },
  };
}
