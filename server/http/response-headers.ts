/** The headers of every response: what browsers may do with it, and which pages may read it. */
import { createHash } from 'node:crypto';

/** A policy that allows only the named sources, and no framing. */
const policy = (sources: Record<string, string>): string =>
  Object.entries({ 'default-src': `'none'`, ...sources, ...CLOSED })
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ');

const CLOSED = { 'base-uri': `'none'`, 'form-action': `'none'`, 'frame-ancestors': `'none'` };

const sha256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of responses other than pages. */
const NO_PAGE_POLICY = policy({});

/**
 * The policy of documents: one inline style, identified by its hash, and scripts, images and answers from this host.
 * @param css the style, exactly as in the page
 */
export const documentPolicy = (css: string): string =>
  policy({
    'style-src': sha256(css),
    'script-src': `'self'`,
    'img-src': `'self'`,
    'font-src': `'self'`,
    'connect-src': `'self'`,
  });

/**
 * The policy of the app. Scripts and styles are files of this host. The MP3 encoder is WebAssembly in a worker that it
 * creates itself. Images, audio and video may also be created by the page from the user's own files.
 */
export const APP_POLICY = policy({
  'script-src': `'self' 'wasm-unsafe-eval'`,
  'style-src': `'self'`,
  'img-src': `'self' blob:`,
  'media-src': `'self' blob:`,
  'worker-src': `'self' blob:`,
  'connect-src': `'self'`,
});

/**
 * The policy of the API explorer: scripts and styles from this host or, identified by their hashes, in the page. The
 * viewer draws its icons from data.
 * @param html the page
 */
export function explorerPolicy(html: string): string {
  const inline = (element: string): string =>
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))]
      .map(([, text = '']) => sha256(text))
      .join(' ');
  return policy({
    'script-src': `'self' ${inline('script')}`,
    'style-src': `'self' ${inline('style')}`,
    'img-src': `'self' data:`,
    'connect-src': `'self'`,
  });
}

/**
 * The headers of all responses. Any page may call the service and read its responses, for browser agents; cookies are
 * never included, so the page needs a key of its own.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Accept-Ranges, Allow, Captioner-Model, Captioner-Run-Id, Captioner-Translation, Captioner-Warning, Content-Disposition, Content-Range, ETag, Link, Location, Mcp-Session-Id, ' +
    'OpenAI-Processing-Ms, RateLimit, RateLimit-Policy, Retry-After, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, ' +
    'Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset, WWW-Authenticate, ' +
    'x-markdown-tokens, X-Request-Id',
  // Public documents set their own lifetime; everything else is private or changes.
  'cache-control': 'no-store',
  // Pages have their own policy.
  'content-security-policy': NO_PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const COMMON = Object.entries(COMMON_HEADERS);

/** The headers of a preflight that allow requests. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, ' +
    'Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, OpenAI-Beta, OpenAI-Organization, OpenAI-Project, Range, ' +
    'traceparent, tracestate, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, ' +
    'User-Agent, X-HTTP-Method-Override, X-Request-Id, ' +
    // OpenAI's clients tell about themselves.
    'X-Stainless-Arch, X-Stainless-Async, X-Stainless-Helper-Method, X-Stainless-Lang, X-Stainless-OS, X-Stainless-Package-Version, ' +
    'X-Stainless-Poll-Helper, X-Stainless-Custom-Poll-Interval, X-Stainless-Retry-Count, X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout',
  'access-control-max-age': '86400',
};

/** A year, the minimum that browsers require for preloading. */
const HSTS: [string, string] = ['strict-transport-security', 'max-age=31536000'];

interface ResponseHeaderOptions {
  baseUrl: string;
  /** Whether to trust X-Forwarded-Proto. */
  trustProxy: boolean;
}

/** The last step of a response, which adds headers. */
type FinishResponse = (request: Request, response: Response) => Response;

/** Creates the last steps of responses. */
export function responseHeaders({ baseUrl, trustProxy }: ResponseHeaderOptions): {
  /** Adds the headers that the response does not set itself. */
  finish: FinishResponse;
  /** For responses created with COMMON_HEADERS: adds only the headers that depend on the request. */
  secure: FinishResponse;
} {
  const secureBase = baseUrl.startsWith('https:');
  const isSecure = (request: Request): boolean =>
    secureBase || (trustProxy && request.headers.get('x-forwarded-proto') === 'https');
  const secure: FinishResponse = (request, response) => {
    if (isSecure(request)) response.headers.set(...HSTS);
    return response;
  };
  return {
    secure,
    finish(request, response) {
      const { headers } = response;
      for (const [name, value] of COMMON) if (!headers.has(name)) headers.set(name, value);
      return secure(request, response);
    },
  };
}

/**
 * The response to OPTIONS, including preflights.
 * @param methods those that this address supports; empty for an unknown address
 */
export const preflight = (methods: readonly string[]): Response =>
  new Response(null, {
    status: 204,
    headers: { ...PREFLIGHT, ...(methods.length > 0 && { allow: methods.join(', ') }) },
  });
