/** Documents in memory: their bytes, compressed on demand, and the responses that send them. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { CODINGS, matchesEntityTag, prefers } from '../negotiate.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { lazily } from '../../base/concurrency.ts';

/** A document in one media type, ready to be sent. */
export interface Representation {
  /** The bytes without content coding. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The coded form, created on the first request for it. */
  variant(encoding: Encoding): Variant;
}

/** One coding. Its responses are created once and never read; each request gets a clone. */
interface Variant {
  etag: string;
  get: Response;
  head: Response;
  /** The 304 response. */
  unchanged: Response;
}

interface RepresentationOptions {
  /** The complete Content-Type. */
  type: string;
  /** Further headers, names in lower case. */
  headers?: Record<string, string>;
  /** The request headers that select a representation. Default: only the coding. */
  vary?: string;
}

/** The size below which a coding saves less than the headers it needs. */
const WORTH_ENCODING_BYTES = 200;

type Coding = (typeof CODINGS)[number];
type Encoding = 'identity' | Coding;

/** Public documents change only with a new version of the service, so five minutes is enough. */
const CACHE_CONTROL = 'public, max-age=300';

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/**
 * Compresses at moderate levels. Higher ones would make a document one percent smaller, but take ten times as long and,
 * with Brotli, tens of megabytes of tables.
 */
const COMPRESS: Record<Coding, (bytes: Uint8Array) => Uint8Array> = {
  br: (bytes) => brotliCompressSync(bytes, BROTLI),
  zstd: (bytes) => zstdCompressSync(bytes, ZSTD),
  gzip: (bytes) => gzipSync(bytes),
};

/** Prepares a large document outside this thread, in all codings. */
export async function representLarge(
  bytes: Uint8Array<ArrayBuffer>,
  options: RepresentationOptions,
): Promise<Representation> {
  const [br, zstd, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, BROTLI),
    promisify(zstdCompress)(bytes, ZSTD),
    promisify(gzip)(bytes),
  ]);
  const coded = { br, zstd, gzip: zipped };
  return represent(bytes, options, (encoding) => coded[encoding]);
}

/** Prepares a document. Each coding has its own strong entity tag. */
export function represent(
  content: string | Uint8Array<ArrayBuffer>,
  { type, vary = 'Accept-Encoding', headers: more }: RepresentationOptions,
  compress = (encoding: Coding, bytes: Uint8Array) => COMPRESS[encoding](bytes),
): Representation {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = createHash('sha256').update(type).update('\0').update(bytes);
  const tag = digest.digest('base64url').slice(0, 22);
  const headers = {
    ...COMMON_HEADERS,
    'content-type': type,
    'cache-control': CACHE_CONTROL,
    vary,
    ...more,
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
  const made = new Map<Encoding, Variant>();
  const encode = (encoding: Coding): Variant => {
    if (bytes.byteLength < WORTH_ENCODING_BYTES) return identity;
    const body = new Uint8Array(compress(encoding, bytes));
    return body.byteLength < bytes.byteLength ? variant(body, encoding) : identity;
  };
  return {
    bytes,
    variant(encoding) {
      if (encoding === 'identity') return identity;
      const before = made.get(encoding);
      if (before) return before;
      const encoded = encode(encoding);
      made.set(encoding, encoded);
      return encoded;
    },
  };
}

/** A document created on first request. */
export function representLate(make: () => Representation): Representation {
  const get = lazily(make);
  return {
    get bytes() {
      return get().bytes;
    },
    variant: (encoding) => get().variant(encoding),
  };
}

/** Responds to GET and HEAD with a document in the client's preferred coding, or with 304. */
export function sendRepresentation(request: Request, representation: Representation): Response {
  const { headers } = request;
  const variant = representation.variant(prefers.coding(headers.get('accept-encoding')));
  const isKnown = matchesEntityTag(headers.get('if-none-match'), variant.etag);
  if (isKnown) return variant.unchanged.clone();
  return (request.method === 'HEAD' ? variant.head : variant.get).clone();
}

/** The headers of a 304: those for caches, without those that describe a body (RFC 9110, 15.4.5). */
function withoutContent(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-') || name === CSP),
  );
}

const CSP = 'content-security-policy';

/** Prepares a JSON document, indented for human readers. */
export function representJson(
  value: unknown,
  options: Partial<RepresentationOptions> = {},
): Representation {
  return represent(`${JSON.stringify(value, null, 2)}\n`, { type: 'application/json', ...options });
}
