/**
 * Limits the bytes of request bodies that a process holds at the same time, so that many clients together cannot fill
 * its memory.
 */
import { unavailable } from '../problems.ts';

/** The share of a budget that one request holds. */
export interface BodyShare {
  /**
   * Counts bytes that are about to be read.
   * @throws {Problem} 503 with Retry-After if the requests in progress already hold the maximum
   */
  take(bytes: number): void;
  /** Releases everything taken; later calls change nothing. */
  release(): void;
}

export interface BodyBudget {
  /** Opens a share for one request; the caller releases it. */
  open(): BodyShare;
}

/** Creates a budget of bytes. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (held + bytes > maxBytes) {
            throw unavailable('Too many large requests are in progress. Try again soon.');
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

/** The same response; `release` is called once it is sent or abandoned. */
export function releasedAtEnd(response: Response, release: () => void): Response {
  if (!response.body) {
    release();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch((error: unknown) => {
        release();
        throw error;
      });
      if (!next.done) return controller.enqueue(next.value);
      release();
      controller.close();
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
