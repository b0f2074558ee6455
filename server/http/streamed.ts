/** Responses whose body is written gradually, no faster than the client reads. */

/** The interval at which something is sent on a quiet stream, to keep proxies from closing it. */
export const KEEP_ALIVE_MS = 5000;
/** The time after which a client that reads nothing is disconnected. */
const STALLED_MS = 30_000;
/** The bytes passed to the runtime at a time, since the client may not read them. */
const CHUNK_BYTES = 64 * 1024;

/** Thrown when the key that opened a stream is no longer valid. */
export class KeyRevoked extends Error {
  override readonly name = 'KeyRevoked';
}

/** Writes the body of a stream. */
export interface Outlet {
  /**
   * Writes parts that belong together: nothing is sent between them to keep the stream alive. Resolves when the client
   * can take more. Rejects if it disconnects, or reads nothing for half a minute.
   */
  write(...parts: (string | Uint8Array)[]): Promise<void>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface StreamOptions {
  type: string;
  /** Default: 200. */
  status?: number;
  /** The text sent while the stream is quiet. */
  heartbeat?: string;
  keepAliveMs?: number | undefined;
  /** Checks at each interval whether the key that opened the stream is still valid; if not, the stream is aborted. */
  stillAllowed?(): Promise<boolean>;
  /** The length of the body in bytes, if known. */
  size?: number;
  stalledMs?: number;
}

/** Whether a stream accepts no more at the moment, or has failed. */
const isFull = ({ desiredSize }: ReadableStreamDefaultController): boolean =>
  Number(desiredSize) <= 0;

/** Creates the response. On a failure it is aborted, so that it does not look complete. */
export function streamed(
  {
    type,
    status = 200,
    heartbeat,
    size,
    stalledMs = STALLED_MS,
    keepAliveMs = KEEP_ALIVE_MS,
    stillAllowed = () => Promise.resolve(true),
  }: StreamOptions,
  produce: (outlet: Outlet) => Promise<void>,
): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let wanted = Promise.withResolvers<void>();
  let isWriting = false;

  const waitForSpace = async (controller: ReadableStreamDefaultController): Promise<void> => {
    while (isFull(controller)) {
      gone.signal.throwIfAborted();
      wanted = Promise.withResolvers<void>();
      const timer = setTimeout(() => gone.abort(new Error('the client does not read')), stalledMs);
      await wanted.promise;
      clearTimeout(timer);
    }
    gone.signal.throwIfAborted();
  };
  const run = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const keepAlive = async () => {
      if (!(await stillAllowed())) gone.abort(new KeyRevoked());
      if (gone.signal.aborted) return;
      if (!heartbeat || isWriting || isFull(controller)) return;
      controller.enqueue(encoder.encode(heartbeat));
    };
    const timer = setInterval(() => void keepAlive(), keepAliveMs);
    const writePart = async (text: string | Uint8Array) => {
      const bytes = typeof text === 'string' ? encoder.encode(text) : text;
      for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
        await waitForSpace(controller);
        // A copy, because the reader of a chunk may take over its memory.
        controller.enqueue(bytes.slice(at, at + CHUNK_BYTES));
      }
    };
    const write = async (...parts: (string | Uint8Array)[]) => {
      isWriting = true;
      try {
        for (const part of parts) await writePart(part);
      } finally {
        isWriting = false;
      }
    };
    try {
      await produce({ write, signal: gone.signal });
      controller.close();
    } catch (error) {
      try {
        controller.error(error);
      } catch {
        // It is already closed, because the client disconnected.
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
