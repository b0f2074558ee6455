/** The resources of the MCP server: the documents of the service, and its terminology packs. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { TermPackList } from '../../contract/terminology.ts';
import type { Source } from '../documents/source.ts';

/** Documents by the path of their Markdown. */
export type ReadableDocuments = ReadonlyMap<string, Source>;

/** Adds the resources to a server. */
export function registerResources(
  server: McpServer,
  resources: { baseUrl: string; documents: ReadableDocuments; packs: TermPackList },
): void {
  const { baseUrl, documents, packs } = resources;
  for (const [path, { title, description, whole, name, markdown }] of documents) {
    const mimeType = 'text/markdown';
    const uri = `${baseUrl}${path}`;
    // A skill includes its front matter; in other documents it is internal.
    const text = name === '' ? markdown : whole;
    server.registerResource(path, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, text }],
    }));
  }
  for (const pack of packs.packs) {
    const { id, title, description = title } = pack;
    const uri = `captioner://packs/${id}`;
    const mimeType = 'application/json';
    server.registerResource(id, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, text: JSON.stringify(pack, null, 2) }],
    }));
  }
}
