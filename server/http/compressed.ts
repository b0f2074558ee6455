/** Compression of answers that are made for one request: results and captions, not the documents in memory. */
import { acceptsGzip } from './negotiate.ts';

/** Below this a coding saves less than its own headers cost. */
const WORTH_BYTES = 200;

/** Whether an answer of so many bytes goes out compressed. */
export const isCompressed = ({ headers }: Request, bytes: number): boolean =>
  bytes >= WORTH_BYTES && acceptsGzip(headers.get('accept-encoding'));

/** The same answer, compressed as it is written. Its length is not known any more. */
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
