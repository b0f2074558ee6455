/** The body of a request as it arrives, held to a least rate. */
import { LEAST_UPLOAD_BYTES, LEAST_UPLOAD_SECONDS } from '../contract/limits.ts';
import { Problem } from './problems.ts';

/** Time as uploads measure it; tests bring their own. */
export interface UploadClock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Calls back once after so many milliseconds, unless the function it returns is called before. */
  after(ms: number, call: () => void): () => void;
}

/** The clock of the machine. */
const machineClock: UploadClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Yields a body as it comes. One that comes too slowly gives its place to others: not every runtime ends
 * connections that say nothing, and a byte now and then would keep any of them. Only the time spent
 * waiting for the client counts: a slow disk is not its fault.
 * @throws {Problem} 408 `upload_too_slow` when LEAST_UPLOAD_BYTES take longer than LEAST_UPLOAD_SECONDS,
 *   from the first byte on; 400 `incomplete_upload` when the connection breaks off
 */
export async function* arrivingBody(
  body: ReadableStream<Uint8Array> | null,
  clock: UploadClock = machineClock,
): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let waited = 0;
  let received = 0;
  try {
    while (true) {
      const late = Promise.withResolvers<never>();
      const inTime = clock.after(LEAST_UPLOAD_SECONDS * 1000 - waited, () =>
        late.reject(tooSlow()),
      );
      const asked = clock.now();
      // What fails here is the connection, which each runtime tells in words of its own.
      const read = reader.read().catch(() => {
        throw incomplete('The body broke off.');
      });
      const next = await Promise.race([read, late.promise]).finally(inTime);
      if (next.done) return;
      waited += clock.now() - asked;
      received += next.value.byteLength;
      if (received >= LEAST_UPLOAD_BYTES) waited = received = 0;
      yield next.value;
    }
  } finally {
    // Not awaited: a body that has stalled may never let go.
    reader.cancel().catch(() => {});
  }
}

/** A body that is not whole. */
export const incomplete = (message: string): Problem =>
  new Problem(400, 'incomplete_upload', message);

const tooSlow = (): Problem =>
  new Problem(408, 'upload_too_slow', 'The upload was too slow and timed out.');
