/** JSON bodies, read by hand: strict about what they are, with faults from the contract. */
import type { BodyShare } from './body-budget.ts';
import { incompleteRequest, Problem } from './problems.ts';

export interface JsonBodyOptions {
  /** A longer body is refused (413) without being read to its end. */
  maxBytes: number;
  /** The error code of what is not JSON. Default: `invalid_payload`. */
  faultCode?: string;
  /** What the bytes are counted in while they are read. */
  share: BodyShare;
  /** Milliseconds a body may take to arrive. Default: 20 seconds, and one for each 64 KiB allowed. */
  patienceMs?: number;
}

/**
 * Reads the JSON body of a request.
 * @throws {Problem} 400 for what is not JSON or does not arrive in time, 413, 415 for another media
 *   type, 503 where other requests hold too much
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<unknown> {
  const { maxBytes, faultCode = 'invalid_payload', share } = options;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type && type !== 'application/json' && !type.endsWith('+json')) {
    throw new Problem(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const patienceMs = options.patienceMs ?? 20_000 + (maxBytes / 65_536) * 1000;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of arriving(request.body, patienceMs)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    share.take(chunk.byteLength);
    chunks.push(chunk);
  }
  return parse(chunks, faultCode);
}

function parse(chunks: Uint8Array[], faultCode: string): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, faultCode, 'The body is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, faultCode, 'The body is not JSON.');
  }
}

const tooLarge = (maxBytes: number): Problem =>
  new Problem(413, 'payload_too_large', `The body is over ${maxBytes} bytes.`);

/** What fails here is the connection; a client that has gone away is told apart by its AbortError. */
const brokenOff = (error: unknown): never => {
  if (error instanceof Error && error.name === 'AbortError') throw error;
  throw incompleteRequest();
};

/** A body as it comes, for so long: one that hardly does would hold its share for ever. */
async function* arriving(
  body: ReadableStream<Uint8Array> | null,
  patienceMs: number,
): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  // Whether anyone waits for it or not, its end is not an error of ours.
  late.promise.catch(() => {});
  const timer = setTimeout(() => late.reject(incompleteRequest()), patienceMs);
  try {
    while (true) {
      const next = await Promise.race([reader.read().catch(brokenOff), late.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a body that has stalled may never let go.
    reader.cancel().catch(() => {});
  }
}
