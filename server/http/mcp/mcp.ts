/**
 * POST /mcp: the service as an MCP server (Streamable HTTP), with the same authorisation as every protected request.
 */
import { Elysia } from 'elysia';
import type { Source } from '../documents/html.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonOfBody, readBody, requireJson } from '../bodies/read-body.ts';
import { releasedAtEnd } from '../bodies/released-at-end.ts';
import type { Guard } from '../identity/guard.ts';
import { once } from '../../base/concurrency.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import type { McpServices } from './server.ts';
import { detail } from '../openapi/detail.ts';
import { response, RESPONSES } from '../openapi/responses.ts';
import { UPLOAD } from '../../contract/limits.ts';

interface McpRouteServices extends McpServices {
  guard: Guard;
  address: PublicAddress;
  /** The documents by the path of their Markdown, as rendered for the sender of a request. */
  documents(request: Request): ReadonlyMap<string, Source>;
}

/** The address of the MCP server. */
export const MCP_PATH = '/mcp';

/** The largest message without a recording. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** The largest message with a recording as base64. */
const MAX_BODY_BYTES = Math.ceil((UPLOAD.maxInlineBytes * 4) / 3) + 1024 * 1024;
/** The total size of messages whose recordings are not stored yet: three of the largest. */
const MAX_BODIES_BYTES = 3 * MAX_BODY_BYTES;

/**
 * The total text of the results being sent, and that of one workspace: an eighth, as elsewhere. An answer takes several
 * times its text in memory, as text, as a value, and as the bytes of both.
 */
const MAX_ANSWERS_BYTES = 24 * 1024 * 1024;
const MAX_ANSWERS_OF_ONE = MAX_ANSWERS_BYTES / 8;

/** Reads a message. A task. @throws {Problem} 400 for anything but JSON, 413 for one with too many values */
export const readMessage = (bytes: Uint8Array): { body: unknown } => ({
  body: jsonOfBody(bytes, { invalidCode: 'invalid_request' }),
});

/** The route. The protocol's SDK, about 30 MiB, is loaded on the first request. */
export function mcpRoutes({ guard, address, documents, ...services }: McpRouteServices) {
  const server = once(async () => (await import('./server.ts')).createServeMcp(services));
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const answers = createBodyBudget(MAX_ANSWERS_BYTES, MAX_ANSWERS_OF_ONE);
  const ownPages = new Elysia().macro({
    ownPages: {
      transform({ request }: { request: Request }) {
        const refused = foreignOrigin(address, request);
        if (refused) throw refused;
      },
    },
  });
  return new Elysia()
    .use(ownPages)
    .use(guard)
    .post(
      MCP_PATH,
      async ({ request, sender: principal }) => {
        const mayUpload = principal.scopes.includes('captioner:audio:upload');
        const maxBytes = mayUpload ? MAX_BODY_BYTES : MAX_MESSAGE_BYTES;
        const share = bodies.open();
        const answer = answers.open(principal.organizationId);
        const release = () => {
          share.release();
          answer.release();
        };
        try {
          requireJson(request);
          const bytes = await readBody(request, { maxBytes, share });
          const load = { workspace: principal.organizationId, size: bytes.byteLength };
          const { body } = await services.pool.do(readMessage, bytes, load);
          const caller = {
            principal,
            baseUrl: address.of(request),
            documents: documents(request),
            releaseBody: share.release,
            holdAnswer: answer.take,
          };
          return releasedAtEnd(await (await server())(caller, request, body), release);
        } catch (error) {
          release();
          throw error;
        }
      },
      // The handler reads the body, because its largest size depends on the key.
      { ownPages: true, scope: null, parse: 'none', detail: mcpDetail() },
    );
}

/**
 * The refusal of a page of another site, also of its preflight, as the protocol requires: a page whose host name
 * resolves to this machine could otherwise reach it from inside a network. Programs send no Origin.
 */
export function foreignOrigin(address: PublicAddress, request: Request): Problem | null {
  const origin = request.headers.get('origin');
  if (origin === null || address.isOwnOrigin(request, origin)) return null;
  return new Problem(
    403,
    'foreign_origin',
    'A page of another origin may not call the MCP server. Call it from a program, without Origin.',
  );
}

const message = { type: 'object', description: 'a JSON-RPC 2.0 message as defined by MCP' };

/** A refusal by the protocol's own layer, in its own format. */
const refused = (description: string) => ({ ...RESPONSES.BrokenMessage, description });

/**
 * The operation for all messages. It is created for each app, because the router adds the meaning of a scope to it.
 */
const mcpDetail = () =>
  detail({
    operationId: 'callMcp',
    summary: 'The service as an MCP server',
    description:
      'Streamable HTTP without sessions. Connect an MCP client; `tools/list` lists its tools: list packs, upload, caption, follow runs, fetch captions.',
    tags: ['MCP'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: message,
          example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        },
      },
    },
    responses: {
      200: {
        description: 'The response, or a stream of messages that ends with it.',
        content: {
          'application/json': { schema: message },
          'text/event-stream': {
            itemSchema: {
              type: 'object',
              required: ['data'],
              properties: {
                event: { const: 'message' },
                data: {
                  type: 'string',
                  contentMediaType: 'application/json',
                  contentSchema: message,
                },
              },
            },
          },
        },
      },
      202: { description: 'The notification was accepted.' },
      400: response('BrokenMessage'),
      406: refused('Accept does not name both application/json and text/event-stream.'),
      413: response('BodyTooLarge'),
      415: refused('The body has an unsupported media type.'),
    },
  });
