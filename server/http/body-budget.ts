/** How many bytes of request bodies a process holds at once: many clients together cannot fill its memory. */
import { unavailable } from './problems.ts';

/** The part of a budget that one request holds. */
export interface BodyShare {
  /**
   * Counts bytes that are about to be read.
   * @throws {Problem} 503 with Retry-After where the requests under way hold as much as is allowed
   */
  take(bytes: number): void;
  /** Gives back all that was taken; later calls change nothing. */
  release(): void;
}

export interface BodyBudget {
  /** A share for one request; whoever opens it releases it. */
  open(): BodyShare;
}

/** Makes a budget of bytes. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (held + bytes > maxBytes) {
            throw unavailable('Too many large requests are under way. Try again soon.');
          }
          held += bytes;
          own += bytes;
        },
        release() {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
