/** Compresses responses that are made for a single request: results and captions, not the documents in memory. */
import { acceptsGzip } from './negotiate.ts';

/** The size below which compression saves less than the headers it needs. */
const WORTH_BYTES = 200;

/** Whether a response with this many bytes is compressed. */
export const isCompressed = ({ headers }: Request, bytes: number): boolean =>
  bytes >= WORTH_BYTES && acceptsGzip(headers.get('accept-encoding'));

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
