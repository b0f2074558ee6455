/** Responses whose body is written gradually, no faster than the client reads. */

/** Interval for sending something on a quiet stream, to keep proxies from closing it. */
export const KEEP_AWAKE_MS = 5000;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000;
/** Bytes passed to the runtime at once for a client that may not read them. */
const CHUNK_BYTES = 64 * 1024;

/** The key that opened a stream is no longer valid. */
export class KeyRevoked extends Error {
  override readonly name = 'KeyRevoked';
}

/** Writes the body of a stream. */
export interface Outlet {
  /**
   * Resolves when the client has room for more. Rejects once it is gone, or reads nothing for half
   * a minute.
   */
  write(text: string | Uint8Array): Promise<void>;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

export interface StreamOptions {
  type: string;
  /** Default: 200. */
  status?: number;
  /** Sent while the stream is quiet. */
  awake?: string;
  keepAwakeMs?: number;
  /**
   * Whether the key that opened it is still valid, checked at each interval; if not, the stream is
   * aborted.
   */
  stillAllowed?(): Promise<boolean>;
  /** The length of the body in bytes, if it is known. */
  size?: number;
  stalledMs?: number;
}

/** Creates the response. A failure aborts it, so that it does not look complete. */
export function streamed(
  {
    type,
    status = 200,
    awake,
    size,
    stalledMs = STALLED_MS,
    keepAwakeMs = KEEP_AWAKE_MS,
    stillAllowed,
  }: StreamOptions,
  produce: (outlet: Outlet) => Promise<void>,
): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let wanted = Promise.withResolvers<void>();

  const roomIn = async (controller: ReadableStreamDefaultController): Promise<void> => {
    while ((controller.desiredSize ?? 0) <= 0) {
      gone.signal.throwIfAborted();
      wanted = Promise.withResolvers<void>();
      const timer = setTimeout(() => gone.abort(new Error('the client does not read')), stalledMs);
      await wanted.promise;
      clearTimeout(timer);
    }
    gone.signal.throwIfAborted();
  };
  const run = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const keepAwake = async () => {
      if (stillAllowed && !(await stillAllowed())) gone.abort(new KeyRevoked());
      if (gone.signal.aborted) return;
      if (awake && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(awake));
    };
    const timer = setInterval(() => void keepAwake(), keepAwakeMs);
    const write = async (text: string | Uint8Array) => {
      const bytes = typeof text === 'string' ? encoder.encode(text) : text;
      for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
        await roomIn(controller);
        // A copy, because the reader of a chunk may take over its memory.
        controller.enqueue(bytes.slice(at, at + CHUNK_BYTES));
      }
    };
    try {
      await produce({ write, signal: gone.signal });
      controller.close();
    } catch (error) {
      try {
        controller.error(error);
      } catch {
        // It is already closed: the client disconnected.
      }
    } finally {
      clearInterval(timer);
    }
  };

  gone.signal.addEventListener('abort', () => wanted.resolve(), { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void run(controller),
      pull: () => wanted.resolve(),
      cancel: () => gone.abort(new Error('the client went away')),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: CHUNK_BYTES }),
  );
  const headers = new Headers({ 'content-type': type });
  if (size !== undefined) headers.set('content-length', String(size));
  return new Response(body, { status, headers });
}
