/** The official MCP client, at a server of a test. */
import { afterAll } from 'bun:test';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Any } from './client.ts';

/** How clients are made for the tests of a file; after them all are closed. */
export function mcpClients(url: string): (key: string, version?: string) => Promise<McpClient> {
  const open: McpClient[] = [];
  afterAll(async () => {
    for (const client of open) await client.close();
  });
  return async (key, version) => {
    const pinned = version !== undefined && version >= '2026';
    const client = new McpClient(
      { name: 'test', version: '1' },
      {
        ...(pinned && { versionNegotiation: { mode: { pin: version } } }),
        ...(version !== undefined && !pinned && { supportedProtocolVersions: [version] }),
      },
    );
    open.push(client);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    );
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
