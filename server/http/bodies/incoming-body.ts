/** Yields the body of an upload as it arrives, unless it is too slow or breaks off. */
import { UPLOAD } from '../../contract/limits.ts';
import { Problem } from '../problems.ts';
import { NOT_STOPPING } from '../stopping.ts';

/** The clock for uploads, which tests replace. */
export interface UploadClock {
  /** The time in milliseconds on a monotonic clock. */
  now(): number;
  /** Calls back once after this many milliseconds, unless the returned function is called first. */
  after(ms: number, call: () => void): () => void;
}

/** The machine's clock. */
const machineClock: UploadClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Yields a body as it arrives. A body that is too slow is stopped, so that its slot becomes free: not every runtime
 * closes silent connections, and an occasional byte would keep any of them open. Only time spent waiting for the client
 * counts, not that of a slow disk.
 * @param closing aborted when the process can wait no longer
 * @param arrived called with the size of each part
 * @throws {Problem} 408 `upload_too_slow` if UPLOAD.minBytes take longer than UPLOAD.minSeconds, from the first
 *   byte on; 400 `incomplete_upload` if the connection breaks; 503 if the process ends meanwhile
 */
export async function* incomingBody(
  body: ReadableStream<Uint8Array> | null,
  clock: UploadClock = machineClock,
  closing: AbortSignal = NOT_STOPPING.closing,
  arrived: (bytes: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});
  const stop = () => stopped.reject(Problem.unavailable('The process stops. Send it again.', 1));
  closing.addEventListener('abort', stop, { once: true });
  let waited = 0;
  let received = 0;
  try {
    while (true) {
      const late = Promise.withResolvers<never>();
      const inTime = clock.after(UPLOAD.minSeconds * 1000 - waited, () => late.reject(tooSlow()));
      const asked = clock.now();
      // An error here comes from the connection; each runtime reports it differently.
      const read = reader.read().catch(() => {
        throw incomplete('The connection broke before the whole body arrived.');
      });
      const next = await Promise.race([read, late.promise, stopped.promise]).finally(inTime);
      if (next.done) return;
      waited += clock.now() - asked;
      received += next.value.byteLength;
      arrived(next.value.byteLength);
      if (received >= UPLOAD.minBytes) waited = received = 0;
      yield next.value;
    }
  } finally {
    closing.removeEventListener('abort', stop);
    // Not awaited, because a stalled body may never end.
    reader.cancel().catch(() => {});
  }
}

/** The problem of an incomplete body. */
export const incomplete = (message: string): Problem =>
  new Problem(400, 'incomplete_upload', message);

const tooSlow = (): Problem =>
  new Problem(408, 'upload_too_slow', 'The upload was too slow and timed out.');
