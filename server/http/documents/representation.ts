/** What is served from memory: the bytes of a document, in each coding once it was asked for, and how they are sent. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { CODINGS, matchesEntityTag, preferredEncoding, type Encoding } from '../negotiate.ts';
import { COMMON_HEADERS } from '../response-headers.ts';

/** One document in one media type, ready to go out. */
export interface Representation {
  /** The bytes as they are, before any content coding. */
  bytes: Uint8Array<ArrayBuffer>;
  /** In a coding, made when it is first asked for. */
  variant(encoding: Encoding): Variant;
}

/** One coding of it. The answers are made once and never read: each request gets a clone. */
interface Variant {
  etag: string;
  get: Response;
  head: Response;
  /** 304. */
  unchanged: Response;
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

/**
 * How hard to compress: beyond this a document gets one part in a hundred smaller, for ten times the
 * time and, with Brotli, tens of megabytes of tables.
 */
const COMPRESS: Record<(typeof CODINGS)[number], (bytes: Uint8Array) => Uint8Array> = {
  br: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
  gzip: (bytes) => gzipSync(bytes),
};

/** Makes a document ready. Each coding has its own strong entity tag. */
export function represent(
  content: string | Uint8Array<ArrayBuffer>,
  options: RepresentationOptions,
): Representation {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = createHash('sha256').update(options.type).update('\0').update(bytes);
  const tag = digest.digest('base64url').slice(0, 22);
  const headers = {
    ...COMMON_HEADERS,
    'content-type': options.type,
    'cache-control': CACHE_CONTROL,
    vary: options.vary ?? 'Accept-Encoding',
    ...options.headers,
  };
  const variant = (body: Uint8Array<ArrayBuffer>, encoding: Encoding): Variant => {
    const etag = encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
    const coding = encoding === 'identity' ? {} : { 'content-encoding': encoding };
    const all = { ...headers, etag, ...coding };
    const length = { 'content-length': String(body.byteLength) };
    return {
      etag,
      get: new Response(body, { headers: all }),
      head: new Response(null, { headers: { ...all, ...length } }),
      unchanged: new Response(null, { status: 304, headers: withoutContent(all) }),
    };
  };
  const identity = variant(bytes, 'identity');
  const made = new Map<Encoding, Variant>([['identity', identity]]);
  const encode = (encoding: (typeof CODINGS)[number]): Variant => {
    if (bytes.byteLength < WORTH_ENCODING_BYTES) return identity;
    const body = new Uint8Array(COMPRESS[encoding](bytes));
    return body.byteLength < bytes.byteLength ? variant(body, encoding) : identity;
  };
  return {
    bytes,
    variant(encoding) {
      const before = made.get(encoding);
      if (before || encoding === 'identity') return before ?? identity;
      const encoded = encode(encoding);
      made.set(encoding, encoded);
      return encoded;
    },
  };
}

/** A document that is made when it is first asked for. */
export function representLate(make: () => Representation): Representation {
  let made: Representation | null = null;
  const get = (): Representation => (made ??= make());
  return {
    get bytes() {
      return get().bytes;
    },
    variant: (encoding) => get().variant(encoding),
  };
}

/** Answers GET and HEAD with a document: coded as the client likes, 304 where it has it already. */
export function send(request: Request, representation: Representation): Response {
  const { headers } = request;
  const variant = representation.variant(preferredEncoding(headers.get('accept-encoding')));
  const known = headers.get('if-none-match');
  if (known !== null && matchesEntityTag(known, variant.etag)) return variant.unchanged.clone();
  return (request.method === 'HEAD' ? variant.head : variant.get).clone();
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
