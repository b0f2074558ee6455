/** A client generated from the server's /openapi.json: it compiles and does the whole job. */
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import ts from 'typescript';
import openapiTS, { astToString } from 'openapi-typescript';
import type { Any } from '../../support/servers/client.ts';
import { here, service } from './service.ts';
import { codeFor, expectWholeJob, recording, webhookReceiver } from './whole-job.ts';

setDefaultTimeout(300_000);

const BYTES = ts.factory.createTypeReferenceNode('Uint8Array<ArrayBuffer>');

const receiver = await webhookReceiver();
const server = await service({ WEBHOOK_ALLOW: '127.0.0.1' });
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

test('it does a whole captioning job', async () => {
  // Imported by path, since its types exist only once they have been generated.
  const { mainJob }: Any = await import(here('main-job.ts'));
  const email = 'generated@example.com';
  const code = () => codeFor(server.dataDir, email);
  const mp3 = new Uint8Array(await recording());
  const outcome = await mainJob(server.url, email, code, mp3, `${receiver.origin}/hook`);
  await expectWholeJob(receiver, outcome);
  expect(outcome.packs).toBe(7);
});
