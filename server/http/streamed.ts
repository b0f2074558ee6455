/** Responses whose body is written gradually, no faster than the client reads, and no slower than the least rate. */
import { prefers } from './negotiate.ts';
import { UPLOAD } from '../contract/limits.ts';

/** The interval at which something is sent on a quiet stream, to keep proxies from closing it. */
const KEEP_ALIVE_MS = 5000;
/** The slowest reader: one that takes less than UPLOAD.minBytes in each such time is disconnected. */
const STALLED_MS = UPLOAD.minSeconds * 1000;
/** The bytes passed to the runtime at a time, since the client may not read them. */
const CHUNK_BYTES = 64 * 1024;

/** Thrown when the key that opened a stream is no longer valid. */
export class KeyRevoked extends Error {
  override readonly name = 'KeyRevoked';
}

/** A part of a body, at once or piece by piece. */
type StreamPart = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Writes the body of a stream. */
interface Outlet {
  /**
   * Writes parts that belong together: nothing is sent between them to keep the stream alive. Resolves when the client
   * can take more. Rejects if it disconnects, or is slower than UPLOAD.minBytes in UPLOAD.minSeconds.
   */
  write(...parts: StreamPart[]): Promise<void>;
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
  /** The time after which the stream is aborted, however fast its client reads; default: none. */
  longestMs?: number;
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
    longestMs,
    keepAliveMs = KEEP_ALIVE_MS,
    stillAllowed = () => Promise.resolve(true),
  }: StreamOptions,
  produce: (outlet: Outlet) => Promise<void>,
): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let wanted = Promise.withResolvers<void>();
  let isWriting = false;
  /** The time spent waiting for the client, and the bytes written meanwhile, since it last was fast enough. */
  let waited = 0;
  let taken = 0;

  const waitForSpace = async (controller: ReadableStreamDefaultController): Promise<void> => {
    while (isFull(controller)) {
      gone.signal.throwIfAborted();
      wanted = Promise.withResolvers<void>();
      const tooSlow = () => gone.abort(new Error('the client does not read, or too slowly'));
      const timer = setTimeout(tooSlow, Math.max(0, stalledMs - waited));
      const asked = performance.now();
      await wanted.promise;
      clearTimeout(timer);
      waited += performance.now() - asked;
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
    const end =
      longestMs === undefined
        ? undefined
        : setTimeout(() => gone.abort(new Error('the response takes too long')), longestMs);
    const writePart = async (part: StreamPart) => {
      if (typeof part === 'object' && Symbol.asyncIterator in part) {
        for await (const bytes of part) await writeBytes(bytes);
      } else await writeBytes(typeof part === 'string' ? encoder.encode(part) : part);
    };
    const writeBytes = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
        await waitForSpace(controller);
        // A copy, because the reader of a chunk may take over its memory.
        const chunk = bytes.slice(at, at + CHUNK_BYTES);
        controller.enqueue(chunk);
        taken += chunk.byteLength;
        if (taken >= UPLOAD.minBytes) waited = taken = 0;
      }
    };
    const write = async (...parts: StreamPart[]) => {
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
      clearTimeout(end);
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

/** The size below which compression saves less than the headers it needs. */
const WORTH_BYTES = 200;

/** Whether a response with this many bytes is compressed. */
export const isCompressed = ({ headers }: Request, bytes: number): boolean =>
  bytes >= WORTH_BYTES && prefers.gzip(headers.get('accept-encoding'));

/** Compresses a response as it is written, so that its length is no longer known. */
export function compressed(response: Response): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  headers.delete('content-length');
  headers.set('content-encoding', 'gzip');
  const gzip = new CompressionStream('gzip') as unknown as ReadableWritablePair<
    Uint8Array,
    Uint8Array
  >;
  return new Response(body.pipeThrough(gzip), { status, headers });
}
