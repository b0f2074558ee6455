/** Limits how many bytes of bodies all requests hold at the same time. */
import { createCounts } from '../../base/concurrency.ts';
import { Problem } from '../problems.ts';

/** The share of a budget that one request holds. */
export interface BodyShare {
  /**
   * Counts bytes that are about to be read. Nothing is counted after the release: who asked is gone.
   * @throws {Problem} 503 with Retry-After if the requests in progress already hold the maximum
   */
  take(bytes: number): void;
  /** Releases everything taken; later calls change nothing. */
  release(): void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/**
 * Creates a budget of bytes.
 * @param ofOneOwner the most bytes of one owner
 */
export function createBodyBudget(maxBytes: number, ofOneOwner = maxBytes) {
  let held = 0;
  const heldBy = createCounts();
  return {
    /**
     * Opens a share for one request; the caller releases it.
     * @param owner whose bytes are counted together, if there is a limit for each
     */
    open(owner: string = ''): BodyShare {
      let own = 0;
      let isReleased = false;
      const count = (bytes: number): void => {
        held += bytes;
        own += bytes;
        heldBy.add(owner, bytes);
      };
      return {
        take(bytes) {
          if (isReleased) return;
          if (held + bytes > maxBytes || heldBy.of(owner) + bytes > ofOneOwner) {
            throw Problem.unavailable('Too many large requests are in progress. Try again soon.');
          }
          count(bytes);
        },
        release() {
          isReleased = true;
          count(-own);
        },
      };
    },
  };
}
