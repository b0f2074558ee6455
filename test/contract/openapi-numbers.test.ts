/** Lower bounds of the numbers in the OpenAPI document. */
import { expect, test } from 'bun:test';
import { openApiDocument } from '../../server/http/openapi/document.ts';
import { objects, paths } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';

test('every number has a lower bound, except statuses and the limit that is only read', () => {
  const document: Any = openApiDocument({ baseUrl: 'https://captions.example', paths: paths() });
  const unbounded = [...objects(JSON.parse(JSON.stringify(document)))].filter(
    ([, { type, minimum, enum: values, const: value }]) =>
      ['number', 'integer'].includes(type) && (minimum ?? values ?? value) === undefined,
  );
  expect(unbounded.map(([at]) => at.replace('#/components/schemas/', ''))).toEqual([
    'ErrorResponse/properties/error/properties/idp/properties/status',
    'WorkspaceTerms/properties/limit',
    'WorkspaceTermsInput/properties/limit',
    'WebhookDelivery/properties/lastStatus/anyOf/0',
  ]);
});

test('every number is a double', () => {
  const document: Any = openApiDocument({ baseUrl: 'https://captions.example', paths: paths() });
  const numbers = [...objects(JSON.parse(JSON.stringify(document)))].filter(
    ([, { type }]) => type === 'number',
  );
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter(([, { format }]) => format !== 'double').map(([at]) => at)).toEqual([]);
});
