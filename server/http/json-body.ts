/** Reads JSON bodies strictly, with the contract's errors. */
import type { BodyShare } from './body-budget.ts';
import { admitBody, chargeBody } from './body-rate.ts';
import { mediaTypeOf } from './header-values.ts';
import { incompleteRequest, Problem } from './problems.ts';

export interface JsonBodyOptions {
  /** The largest body. A longer one is refused (413) without being read to its end. */
  maxBytes: number;
  /** The error code for invalid JSON. Default: `invalid_payload`. */
  invalidCode?: string;
  /** The budget that counts the bytes while they are read. */
  share: BodyShare;
  /** The time-out for the body in milliseconds. Default: 20 seconds, plus one for each 64 KiB allowed. */
  patienceMs?: number;
}

/**
 * Reads the JSON body of a request.
 * @throws {Problem} 400 for invalid JSON or a body that does not arrive in time, 413, 415 for another media type, 503
 *   if other requests hold too much
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<unknown> {
  const { invalidCode = 'invalid_payload' } = options;
  if (!/^(?:|application\/json|.*\+json)$/.test(mediaTypeOf(request.headers))) {
    throw new Problem(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  return parseJson(await readText(request, options), invalidCode);
}

/**
 * Reads the body of a request as text.
 * @throws {Problem} 400 for invalid UTF-8 or a body that does not arrive in time, 413, 503 if other requests hold too
 *   much or the workspace sends too much
 */
export async function readText(request: Request, options: JsonBodyOptions): Promise<string> {
  const { maxBytes, invalidCode = 'invalid_payload', share } = options;
  const { patienceMs = 20_000 + (maxBytes / 65_536) * 1000 } = options;
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
  await admitBody(request);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of arriving(request.body, patienceMs)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    share.take(chunk.byteLength);
    chargeBody(request, chunk.byteLength);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, invalidCode, 'The body is not UTF-8.');
  }
}

function parseJson(text: string, invalidCode: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, invalidCode, 'The body is not JSON.');
  }
}

const tooLarge = (maxBytes: number): Problem =>
  new Problem(413, 'payload_too_large', `The body is over ${maxBytes} bytes.`);

/** Converts an error of the connection. A client that disconnected is recognised by its AbortError. */
const brokenOff = (error: unknown): never => {
  if (error instanceof Error && error.name === 'AbortError') throw error;
  throw incompleteRequest();
};

/** A body as it arrives, up to a time-out, since a very slow one would hold its share forever. */
async function* arriving(
  body: ReadableStream<Uint8Array> | null,
  patienceMs: number,
): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  // Marks the rejection as handled, because it may never be awaited.
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
    // Not awaited, because a stalled body may never end.
    reader.cancel().catch(() => {});
  }
}
