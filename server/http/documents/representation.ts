/** What is served from memory: the bytes of a document in each coding, made once, and how they are sent. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { matchesEntityTag, preferredEncoding, type Encoding } from '../negotiate.ts';

/** One document in one media type, ready to go out. */
export interface Representation {
  /** The bytes as they are, before any content coding. */
  bytes: Uint8Array<ArrayBuffer>;
  variants: Record<Encoding, Variant>;
}

interface Variant {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  headers: Record<string, string>;
}

export interface RepresentationOptions {
  /** Content-Type, whole. */
  type: string;
  /** Further headers, names in lower case. */
  headers?: Record<string, string>;
  /** What the choice among representations depends on. Default: the coding alone. */
  vary?: string;
}

/** Below this a coding saves less than its own headers cost. */
const WORTH_ENCODING_BYTES = 200;

/** Public documents change only with a new version of the service; five minutes is soon enough. */
const CACHE_CONTROL = 'public, max-age=300';

/** Makes a document ready: encodes it in every coding and gives each its own strong entity tag. */
export function represent(text: string, options: RepresentationOptions): Representation {
  const bytes = new TextEncoder().encode(text);
  const digest = createHash('sha256').update(options.type).update('\0').update(bytes);
  const tag = digest.digest('base64url').slice(0, 22);
  const headers = {
    'content-type': options.type,
    'cache-control': CACHE_CONTROL,
    vary: options.vary ?? 'Accept-Encoding',
    ...options.headers,
  };
  const variant = (body: Uint8Array<ArrayBuffer>, encoding: Encoding): Variant => {
    const etag = encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
    const coding = encoding === 'identity' ? {} : { 'content-encoding': encoding };
    return { body, etag, headers: { ...headers, etag, ...coding } };
  };
  const identity = variant(bytes, 'identity');
  const encoded = (encoding: 'gzip' | 'br', compress: () => Uint8Array): Variant => {
    if (bytes.byteLength < WORTH_ENCODING_BYTES) return identity;
    const body = new Uint8Array(compress());
    return body.byteLength < bytes.byteLength ? variant(body, encoding) : identity;
  };
  return {
    bytes,
    variants: {
      identity,
      gzip: encoded('gzip', () => gzipSync(bytes, { level: 9 })),
      br: encoded('br', () =>
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      ),
    },
  };
}

/** Answers GET and HEAD with a document: coded as the client likes, 304 where it has it already. */
export function send(request: Request, representation: Representation): Response {
  const encoding = preferredEncoding(request.headers.get('accept-encoding'));
  const { body, etag, headers } = representation.variants[encoding];
  if (matchesEntityTag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers: withoutContent(headers) });
  }
  if (request.method === 'HEAD') {
    return new Response(null, {
      headers: { ...headers, 'content-length': String(body.byteLength) },
    });
  }
  return new Response(body, { headers });
}

/** A 304 repeats what guides a cache and leaves out what describes a body (RFC 9110, 15.4.5). */
function withoutContent(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-') || name === CSP),
  );
}

const CSP = 'content-security-policy';

/** A JSON document, indented: people read these too. */
export function representJson(
  value: unknown,
  options: Partial<RepresentationOptions> = {},
): Representation {
  return represent(`${JSON.stringify(value, null, 2)}\n`, { type: 'application/json', ...options });
}
