/** A body in parts of a size, each of which can be stored before the next one has arrived. */
import { Problem } from '../problems.ts';

/** The errors that end a body early although the bytes so far are good: the connection broke, or was too slow. */
const BREAKS = new Set(['incomplete_upload', 'upload_too_slow']);

/**
 * Divides a body.
 * @param partBytes the size of every part except the last
 * @param room the most bytes that the body may have
 * @throws from a part: {@link Problem} 400 `upload_too_long` beyond the room; any other error of the body
 */
export function inParts(
  body: AsyncIterable<Uint8Array>,
  { partBytes, room }: { partBytes: number; room: number },
) {
  const source = body[Symbol.asyncIterator]();
  let rest: Uint8Array | null = null;
  let total = 0;
  let isOver = false;
  let failure: Problem | null = null;

  const pull = async (): Promise<Uint8Array | null> => {
    if (rest) {
      const chunk = rest;
      rest = null;
      return chunk;
    }
    while (!isOver) {
      const next = await source.next().catch((error: unknown) => {
        if (!(error instanceof Problem) || !BREAKS.has(error.code)) throw error;
        failure = error;
        return { done: true as const, value: undefined };
      });
      if (next.done) isOver = true;
      else if (next.value.byteLength > 0) {
        total += next.value.byteLength;
        if (total > room) throw tooLong();
        return next.value;
      }
    }
    return null;
  };

  async function* part(first: Uint8Array): AsyncIterable<Uint8Array> {
    let left = partBytes;
    for (let chunk: Uint8Array | null = first; chunk; chunk = left > 0 ? await pull() : null) {
      const taken = chunk.subarray(0, left);
      if (chunk.byteLength > left) rest = chunk.subarray(left);
      left -= taken.byteLength;
      yield taken;
    }
  }

  return {
    /** The next part; null at the end of the body. Read each part to its end before the next one. */
    async next(): Promise<AsyncIterable<Uint8Array> | null> {
      const first = await pull();
      return first && part(first);
    },
    /** The reason why the body ended early; null if it did not. */
    failure: (): Problem | null => failure,
  };
}

/** The problem of a body with more bytes than its upload lacks. */
export const tooLong = (): Problem =>
  new Problem(400, 'upload_too_long', 'The body has more bytes than Upload-Length allows.');
