/** Checks the OpenAPI document with two independent validators that support 3.2. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate as validate31 } from '@hyperjump/json-schema/openapi-3-1';
import { validate } from '@hyperjump/json-schema/openapi-3-2';
import { readConfig } from '../../server/config.ts';
import { openApiDocument } from '../../server/http/openapi/document.ts';
import { asOpenApi31 } from '../../server/http/openapi/version-3-1.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { paths } from '../support/documents.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const made = openApiDocument({
  baseUrl: 'https://captions.example',
  paths: paths(),
  providers: providerSummaries(readConfig({})),
});
const document = JSON.stringify(made);
const older = JSON.stringify(asOpenApi31(made));

test.each([
  ['https://spec.openapis.org/oas/3.2/schema'],
  ['https://spec.openapis.org/oas/3.2/schema-base'],
])('it is valid according to %s', async (schema) => {
  expect(await validate(schema, JSON.parse(document), 'DETAILED')).toEqual({ valid: true });
});

test.each([
  ['https://spec.openapis.org/oas/3.1/schema'],
  ['https://spec.openapis.org/oas/3.1/schema-base'],
])('version 3.1 is valid according to %s', async (schema) => {
  expect(await validate31(schema, JSON.parse(older), 'DETAILED')).toEqual({ valid: true });
});

test('version 3.1 has every operation, and no features of 3.2', () => {
  const operationsOf = (text: string) =>
    Object.entries(JSON.parse(text).paths).map(([path, item]) => [
      path,
      Object.keys(item as object),
    ]);
  expect(operationsOf(older)).toEqual(operationsOf(document));
  expect(JSON.parse(older).openapi).toBe('3.1.1');
  expect(older).not.toMatch(/itemSchema|\$self/);
});

test.each([
  ['3.2', document],
  ['3.1', older],
])('redocly lint reports no errors and no warnings for %s', async (_version, text) => {
  const folder = await temporaryFolder();
  const file = join(folder, 'openapi.json');
  await writeFile(file, text);
  const cli = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [cli, 'lint', file, '--format=json'], {
    cwd: folder,
    env: {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
  await removeFolder(folder);
  const { totals, problems } = JSON.parse(stdout.toString());
  expect([status, totals, problems]).toEqual([0, { errors: 0, warnings: 0, ignored: 0 }, []]);
});
