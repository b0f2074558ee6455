/** Lists the operations of an OpenAPI document and the tools of the MCP server. */
import { post, type Any } from '../../../support/servers/client.ts';
import type { Schema } from './json-text.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  /** The schemas of the body, by media type. */
  bodies: Record<string, Schema>;
  /** By status, range or `default`, with all references resolved. */
  responses: Record<string, Any>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Resolves a reference within a document. */
export const resolver =
  (document: Any) =>
  (ref: string): Any =>
    ref
      .slice(2)
      .split('/')
      .reduce((at, part) => at[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);

/** All operations of a document. */
export function operationsOf(document: Any): Operation[] {
  const resolve = resolver(document);
  const follow = (at: Any): Any => (at?.$ref ? resolve(at.$ref) : at);
  return Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): Operation => {
      const { parameters = [], requestBody, responses } = item[method];
      const content = Object.entries<Any>(follow(requestBody)?.content ?? {});
      return {
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...parameters].map(follow),
        bodies: Object.fromEntries(content.map(([type, { schema }]) => [type, schema ?? {}])),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [status, follow(answer)]),
        ),
      };
    }),
  );
}

/** The operation that calls a tool of the MCP server, as `tools/list` describes it. */
const callOf = (mcp: Operation, tool: { name: string; inputSchema: Schema }): Operation => {
  const member = (properties: Record<string, Schema>): Schema => ({
    type: 'object',
    required: Object.keys(properties),
    properties,
  });
  const both = { enum: ['application/json, text/event-stream'] };
  return {
    ...mcp,
    parameters: [{ name: 'accept', in: 'header', required: true, schema: both }],
    bodies: {
      'application/json': member({
        jsonrpc: { const: '2.0' },
        id: { type: 'integer' },
        method: { const: 'tools/call' },
        params: member({ name: { const: tool.name }, arguments: tool.inputSchema }),
      }),
    },
  };
};

/** An operation for each tool of a server, by name. */
export async function toolCalls(
  url: string,
  key: string,
  described: readonly Operation[],
): Promise<[string, Operation][]> {
  const mcp = described.find(({ path }) => path === '/mcp');
  if (!mcp) throw new Error('the document has no /mcp');
  const asked = await post(
    `${url}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
  );
  const { result } = JSON.parse((await asked.text()).replace(/^event:.*\ndata: /, ''));
  return result.tools.map((tool: Any) => [`tool ${tool.name}`, callOf(mcp, tool)]);
}
