/** Reads bodies strictly, with the contract's errors: their bytes here, what they say in a task of the pool. */
import { Problem } from '../problems.ts';
import { mediaTypeOf } from '../request.ts';
import type { BodyShare } from './body-budget.ts';
import { admitBody, chargeBody } from './body-rate.ts';
import { exceededBound, type ValueBound } from './json-values.ts';

interface BodyOptions {
  /** The largest body. A longer one is refused (413) without being read to its end. */
  maxBytes: number;
  /** The budget that counts the bytes while they are read. */
  share: BodyShare;
  /** The time-out for the body in milliseconds. Default: 20 seconds, plus one for each 64 KiB allowed. */
  patienceMs?: number;
}

/** Refuses a body that is not declared as JSON. @throws {Problem} 415 */
export function requireJson(request: Request): void {
  if (isJsonType(mediaTypeOf(request.headers))) return;
  throw new Problem(415, 'unsupported_media_type', 'Send the body as application/json.');
}

/** Whether a media type is JSON; a body without a type counts as JSON. */
export const isJsonType = (type: string): boolean =>
  /^(?:|application\/json|[^;]*\+json)\s*(?:;|$)/i.test(type);

/**
 * Reads the body of a request as bytes, which fill their buffer.
 * @throws {Problem} 400 for a body that does not arrive in time, 413, 503 if other requests hold too much or the
 *   workspace sends too much
 */
export async function readBody(
  request: Request,
  options: BodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, share, patienceMs = 20_000 + (maxBytes / 65_536) * 1000 } = options;
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
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/**
 * The text of a body.
 * @param invalidCode the error code for invalid UTF-8
 * @throws {Problem} 400
 */
export function textOfBody(bytes: Uint8Array, invalidCode = 'invalid_payload'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(400, invalidCode, 'The body is not UTF-8.');
  }
}

interface JsonOptions {
  /** The error code for invalid JSON. Default: `invalid_payload`. */
  invalidCode?: string | undefined;
  /** How many values it may have. Default: that of `exceededBound`. */
  most?: ValueBound;
}

/**
 * The value of a JSON body, which is counted before it is made.
 * @throws {Problem} 400 for anything but JSON and for one that is nested too deep, 413 for one with too many values
 */
export function jsonOfBody(
  bytes: Uint8Array,
  { invalidCode = 'invalid_payload', most }: JsonOptions = {},
): unknown {
  const exceeded = exceededBound(bytes, most);
  if (exceeded !== null) {
    const message = `The body may have ${exceeded.allowed}.`;
    if (exceeded.isTooLarge) throw new Problem(413, 'payload_too_large', message);
    throw new Problem(400, invalidCode, message);
  }
  const text = textOfBody(bytes, invalidCode);
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
  throw Problem.incompleteRequest();
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
  const timer = setTimeout(() => late.reject(Problem.incompleteRequest()), patienceMs);
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
