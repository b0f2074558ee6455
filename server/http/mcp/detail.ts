/** Describes /mcp in /openapi.json. The MCP protocol defines its messages, and its tools describe their own schemas. */
import { detail } from '../openapi/detail.ts';
import { response, RESPONSES } from '../openapi/responses.ts';

const message = { type: 'object', description: 'a JSON-RPC 2.0 message as defined by MCP' };

/** A refusal by the protocol's own layer, in its own format. */
const refused = (description: string) => ({ ...RESPONSES.BrokenMessage, description });

/**
 * The operation for all messages. It is created for each app, because the router adds the meaning of a scope to it.
 */
export const mcpDetail = () =>
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
