/** POST /mcp: the service as an MCP server (Streamable HTTP), authorized as every protected request is. */
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
  /** The documents as the sender of a request gets them, by the path of their Markdown. */
  documents(request: Request): ReadonlyMap<string, Source>;
}

/** The largest message that holds no recording. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** The largest recording inside a call, as base64, and what stands around it. */
const MAX_BODY_BYTES = Math.ceil((MAX_INLINE_BYTES * 4) / 3) + 1024 * 1024;
/** Messages whose recordings have not been stored yet, all together: three of the largest. */
const MAX_BODIES_BYTES = 3 * MAX_BODY_BYTES;

/** The route. The protocol's SDK, some 30 MiB, is loaded when it is first asked for. */
export function mcpRoutes({ guard, address, documents, ...services }: McpRouteServices) {
  const server = once(async () => (await import('./server.ts')).createServeMcp(services));
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
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
        try {
          const body = await readJson(request, { maxBytes, faultCode: 'invalid_request', share });
          const caller = {
            principal,
            baseUrl: address.of(request),
            documents: documents(request),
            releaseBody: share.release,
          };
          return releasedAtEnd(await (await server())(caller, request, body), share.release);
        } catch (error) {
          share.release();
          throw error;
        }
      },
      // The largest body depends on the key: the handler reads it.
      { ownPages: true, scope: null, parse: 'none', detail: mcpDetail() },
    );
}

/**
 * Refuses pages of other sites, as the protocol demands of its servers: one whose name resolves to this
 * machine could otherwise speak to it from inside a network. Programs send no Origin.
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

/** The same answer; `release` is called once it is sent, or nobody waits for it any more. */
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
