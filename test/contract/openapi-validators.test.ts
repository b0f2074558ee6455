/** The OpenAPI document passes two validators by others that support 3.2. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from '@hyperjump/json-schema/openapi-3-2';
import { readConfig } from '../../server/config.ts';
import { openApiDocument } from '../../server/http/openapi/document.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { paths } from '../support/documents.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(120_000);

const document = JSON.stringify(
  openApiDocument({
    baseUrl: 'https://captions.example',
    paths: paths(),
    providers: providerSummaries(readConfig({})),
  }),
);

test.each([
  ['https://spec.openapis.org/oas/3.2/schema'],
  ['https://spec.openapis.org/oas/3.2/schema-base'],
])('it fits %s', async (schema) => {
  expect(await validate(schema, JSON.parse(document), 'DETAILED')).toEqual({ valid: true });
});

test('redocly lint finds no error and nothing to warn of', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'openapi.json');
  await writeFile(file, document);
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
