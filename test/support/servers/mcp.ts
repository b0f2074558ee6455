/** The official MCP client, connected to a test server. */
import { afterAll } from 'bun:test';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Any } from './client.ts';

/** A connected client that sends these headers. */
export async function connectMcp(
  address: string,
  headers: Record<string, string>,
  options: ConstructorParameters<typeof McpClient>[1] = {},
): Promise<McpClient> {
  const client = new McpClient({ name: 'test', version: '1' }, options);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }),
  );
  return client;
}

/** Returns a function that creates clients; all are closed after the tests of the file. */
export function mcpClients(url: string): (key: string, version?: string) => Promise<McpClient> {
  const open: McpClient[] = [];
  afterAll(async () => {
    for (const client of open) await client.close();
  });
  return async (key, version) => {
    const pinned = version !== undefined && version >= '2026';
    const options = {
      ...(pinned && { versionNegotiation: { mode: { pin: version } } }),
      ...(version !== undefined && !pinned && { supportedProtocolVersions: [version] }),
    };
    const client = await connectMcp(`${url}/mcp`, { authorization: `Bearer ${key}` }, options);
    open.push(client);
    return client;
  };
}

/** Calls a tool. */
export const call = async (
  client: McpClient,
  name: string,
  args: object,
  options = {},
): Promise<Any> => client.callTool({ name, arguments: { ...args } }, options);
