/** The OpenAPI details of a route, in addition to its schemas. */
import type { DocumentDecoration } from 'elysia';

/** The groups of operations, in the order in which readers see them. */
export const TAGS = [
  { name: 'Registration', description: 'Exchange an email address for an API key.' },
  { name: 'Captioning', description: 'Turn an MP3 into captions.' },
  { name: 'Terminology', description: 'The terms of a workspace, and what it learns.' },
  { name: 'OpenAI', description: 'The audio endpoints of OpenAI, for clients of its API.' },
  { name: 'MCP', description: 'The service for MCP clients.' },
  { name: 'Discovery', description: 'Public documents about the service.' },
] as const;

/** An operation of OpenAPI 3.2. The information in a route's schemas is added when the document is generated. */
export interface OperationDetail {
  operationId: string;
  summary: string;
  description?: string;
  tags: [(typeof TAGS)[number]['name']];
  /** Parameters that no schema of the route describes. */
  parameters?: object[];
  /** A body that is not JSON, or an example of a JSON body. */
  requestBody?: object;
  /** By status: descriptions of responses, or the parts of them that no schema contains. */
  responses?: Record<string, object>;
}

/** An operation as the option `detail` of a route. */
export const detail = (operation: OperationDetail) => operation as unknown as DocumentDecoration;

/** A route that is not part of the interface: files of pages, routes for operators. */
export const HIDDEN: DocumentDecoration = Object.freeze({ hide: true });

/** A JSON response whose schema is in the route: its description and an example. */
export const answer = (description: string, example?: unknown) => ({
  description,
  ...(example !== undefined && { content: { 'application/json': { example } } }),
});

/** An example for a JSON body whose schema is in the route. */
export const bodyExample = (example: unknown) => ({ content: { 'application/json': { example } } });
