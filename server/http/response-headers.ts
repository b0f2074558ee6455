/** Headers that every answer has: what browsers may do with it, and who may read it. */

import { NO_PAGE_POLICY } from './csp.ts';

/**
 * Any page may call the service and read its answers, for browser agents; cookies and the like are
 * never part of that, and a key has to be in the page's own hands.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Allow, ETag, Link, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, x-markdown-tokens',
  // Public documents say for how long they may be kept; all else is somebody's, or changes.
  'cache-control': 'no-store',
  // Pages bring a policy of their own.
  'content-security-policy': NO_PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const COMMON = Object.entries(COMMON_HEADERS);

/** What a preflight allows. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, ' +
    'Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
  'access-control-max-age': '86400',
};

/** A year, as browsers ask for it. */
const HSTS: [string, string] = ['strict-transport-security', 'max-age=31536000'];

export interface ResponseHeaderOptions {
  baseUrl: string;
  /** Believes X-Forwarded-Proto. */
  trustProxy: boolean;
}

/** A step at the end of an answer: it adds headers. */
export type FinishResponse = (request: Request, response: Response) => Response;

/** Makes the last steps of answers. */
export function responseHeaders({ baseUrl, trustProxy }: ResponseHeaderOptions): {
  /** Adds what the answer does not set itself. */
  finish: FinishResponse;
  /** For answers that were made with COMMON_HEADERS: adds what depends on the request. */
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

/** The answer to OPTIONS, preflights above all: the same at every address. */
export const preflight = (): Response => new Response(null, { status: 204, headers: PREFLIGHT });
