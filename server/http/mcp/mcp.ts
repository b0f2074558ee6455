/**
 * POST /mcp: the service as an MCP server (Streamable HTTP), authorised like every protected
 * request.
 */
import { Elysia } from 'elysia';
import { MAX_INLINE_BYTES } from '../../contract/limits.ts';
import type { Source } from '../documents/source.ts';
import { createBodyBudget } from '../body-budget.ts';
import type { Guard } from '../guard.ts';
import { readJson } from '../json-body.ts';
import { once } from '../once.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../public-address.ts';
import { mcpDetail } from './detail.ts';
import type { McpServices } from './server.ts';

export interface McpRouteServices extends McpServices {
  guard: Guard;
  address: PublicAddress;
  /** The documents as the sender of a request sees them, by the path of their Markdown. */
  documents(request: Request): ReadonlyMap<string, Source>;
}

/** The largest message without a recording. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** The largest message with a recording as base64. */
const MAX_BODY_BYTES = Math.ceil((MAX_INLINE_BYTES * 4) / 3) + 1024 * 1024;
/** Total size of messages whose recordings are not yet stored: three of the largest. */
const MAX_BODIES_BYTES = 3 * MAX_BODY_BYTES;

/**
 * Total text of the results that are being sent. An answer takes several times its text in memory:
 * it is held as text, as a value, and as the bytes of both.
 */
const MAX_ANSWERS_BYTES = 24 * 1024 * 1024;

/** The route. The SDK of the protocol, some 30 MiB, is loaded on first request. */
export function mcpRoutes({ guard, address, documents, ...services }: McpRouteServices) {
  const server = once(async () => (await import('./server.ts')).createServeMcp(services));
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const answers = createBodyBudget(MAX_ANSWERS_BYTES);
  const ownPages = new Elysia().macro({
    ownPages: {
      transform: ({ request }: { request: Request }) => refuseForeignOrigin(address, request),
    },
  });
  return new Elysia()
    .use(ownPages)
    .use(guard)
    .post(
      '/mcp',
      async ({ request, sender: principal }) => {
        const mayUpload = principal.scopes.includes('captioner:audio:upload');
        const maxBytes = mayUpload ? MAX_BODY_BYTES : MAX_MESSAGE_BYTES;
        const share = bodies.open();
        const answer = answers.open();
        const release = () => {
          share.release();
          answer.release();
        };
        try {
          const body = await readJson(request, { maxBytes, faultCode: 'invalid_request', share });
          const caller = {
            principal,
            baseUrl: address.of(request),
            documents: documents(request),
            releaseBody: share.release,
            // One that is larger than all may be is sent alone.
            holdAnswer: (bytes: number) => answer.take(Math.min(bytes, MAX_ANSWERS_BYTES)),
          };
          return releasedAtEnd(await (await server())(caller, request, body), release);
        } catch (error) {
          release();
          throw error;
        }
      },
      // The largest body depends on the key: the handler reads it.
      { ownPages: true, scope: null, parse: 'none', detail: mcpDetail() },
    );
}

/**
 * Refuses pages of other sites, as the protocol requires: a page whose host name resolves to this
 * machine could otherwise reach it from inside a network. Programs send no Origin.
 */
function refuseForeignOrigin(address: PublicAddress, request: Request): void {
  const origin = request.headers.get('origin');
  if (origin === null || address.isOwnOrigin(request, origin)) return;
  throw new Problem(
    403,
    'foreign_origin',
    'A page of another origin may not call the MCP server. Call it from a program, without Origin.',
  );
}

/** The same response; `release` is called once it is sent, or abandoned. */
function releasedAtEnd(response: Response, release: () => void): Response {
  if (!response.body) {
    release();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch((error: unknown) => {
        release();
        throw error;
      });
      if (!next.done) return controller.enqueue(next.value);
      release();
      controller.close();
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
