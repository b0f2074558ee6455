/** POST /mcp: the service as an MCP server (Streamable HTTP), authorized as every protected request is. */
import { Elysia } from 'elysia';
import { MAX_INLINE_BYTES } from '../../contract/limits.ts';
import type { Authorize } from '../guard.ts';
import { readJson } from '../json-body.ts';
import { once } from '../once.ts';
import type { McpServices } from './server.ts';

export interface McpRouteServices extends McpServices {
  authorize: Authorize;
}

/** The largest recording inside a call, as base64, and what stands around it. */
const MAX_BODY_BYTES = Math.ceil((MAX_INLINE_BYTES * 4) / 3) + 1024 * 1024;

/** The route. The protocol's SDK, some 30 MiB, is loaded when it is first asked for. */
export function mcpRoutes({ authorize, ...services }: McpRouteServices) {
  const server = once(async () => (await import('./server.ts')).createServeMcp(services));
  return new Elysia().post(
    '/mcp',
    async ({ request, route }) => {
      const principal = await authorize({ request, route }, null);
      const body = await readJson(request, MAX_BODY_BYTES, 'invalid_request');
      return (await server())(principal, request, body);
    },
    { parse: 'none' },
  );
}
