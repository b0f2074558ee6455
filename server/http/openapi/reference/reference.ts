/** The API reference, GET /docs: what /openapi.json says, as a document for people and agents. */
import referenceMd from '../../../../content/reference.md' with { type: 'text' };
import { readSource, type Source } from '../../documents/source.ts';
import { fieldsOf } from './fields.ts';
import type { OpenApi } from './openapi-json.ts';
import { operationSections } from './operations.ts';

/**
 * Renders the reference as Markdown.
 * @param document what /openapi.json serves
 * @param values of the placeholders in `content/reference.md`, in addition to the generated parts
 * @throws {DocumentError} the text has an unknown placeholder
 */
export function referenceSource(document: object, values: Record<string, string>): Source {
  const openApi = document as OpenApi;
  return readSource('reference.md', referenceMd, {
    ...values,
    operations: operationSections(openApi),
    types: typeSections(openApi),
  });
}

const typeSections = ({ components }: OpenApi): string =>
  Object.entries(components.schemas)
    .map(([name, schema]) => `### ${name}\n\n${fieldsOf(schema)}`)
    .join('\n\n');
