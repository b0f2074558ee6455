/** A client generated from the server's /openapi.json: it compiles and does the main job. */
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import ts from 'typescript';
import openapiTS, { astToString } from 'openapi-typescript';
import { mailedCode, type Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { here, service } from './service.ts';

setDefaultTimeout(300_000);

const BYTES = ts.factory.createTypeReferenceNode('Uint8Array<ArrayBuffer>');

const server = await service();
beforeAll(async () => {
  const types = here('generated/paths.d.ts');
  await mkdir(dirname(types), { recursive: true });
  // A field with a default may be omitted in a request; the generator's default would require it.
  const made = await openapiTS(new URL(`${server.url}/openapi.json`), {
    defaultNonNullable: false,
    // Binary bodies: by default the generator maps every JSON Schema string to a TypeScript string.
    transform: ({ format }) => (format === 'binary' ? BYTES : undefined),
  });
  await writeFile(types, astToString(made));
});

test('it compiles, strictly', () => {
  const tsc = here('node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--project', here('tsconfig.json')]);
  expect([status, stdout.toString()]).toEqual([0, '']);
});

test('it does the main job', async () => {
  // Imported by path, because its types exist only after they are generated.
  const { mainJob }: Any = await import(here('main-job.ts'));
  const email = 'generated@example.com';
  const code = () => mailedCode(server.dataDir, email);
  const outcome = await mainJob(server.url, email, code, new Uint8Array(await readFile(sample)));
  expect(outcome).toMatchObject({
    status: 'completed',
    state: 'completed',
    listed: true,
    packs: 7,
    unknownRun: 'run_not_found',
  });
  expect(outcome.srt).toContain(' --> ');
  expect(outcome.vtt).toStartWith('WEBVTT');
});
