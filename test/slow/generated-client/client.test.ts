/** A client generated from the server's /openapi.json: it compiles and does the whole job. */
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import ts from 'typescript';
import openapiTS, { astToString } from 'openapi-typescript';
import { signUp, type Any } from '../../support/servers/client.ts';
import { here, service } from './service.ts';
import { codeFor, deliveryOf, expectWholeJob, recording, webhookReceiver } from './whole-job.ts';

setDefaultTimeout(300_000);

const BYTES = ts.factory.createTypeReferenceNode('Uint8Array<ArrayBuffer>');

/** The path of a file of our own client. */
const client = (path: string): string => here(`../../../clients/npm/${path}`);

/** That of the webhook of the whole job. */
let secret = '';
const receiver = await webhookReceiver();
const server = await service({ WEBHOOK_ALLOW: '127.0.0.1' });
beforeAll(async () => {
  const types = here('generated/paths.d.ts');
  await mkdir(dirname(types), { recursive: true });
  const made = await openapiTS(new URL(`${server.url}/openapi.json`), {
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
  secret = outcome.secret;
});

test('our own client for npm compiles, does the same, and knows whose a delivery is', async () => {
  await mkdir(client('generated'), { recursive: true });
  await copyFile(here('generated/paths.d.ts'), client('generated/openapi.ts'));
  const tsc = here('node_modules/typescript/bin/tsc');
  const built = spawnSync(process.execPath, [tsc, '--project', client('.')]);
  expect([built.status, built.stdout.toString()]).toEqual([0, '']);
  const { Captioner, verifyWebhook }: Any = await import(client('dist/index.js'));
  const { key } = await signUp(server, 'npm@example.com');
  const captioner = new Captioner({ baseUrl: `${server.url}/`, key });
  const uploaded = await captioner.upload('talks/key note.mp3', new Blob([await recording()]));
  const runId = await captioner.run({ audio: { key: uploaded.key } });
  const waiting = { everyMs: 100 };
  expect((await captioner.wait(runId, waiting)).state).toBe('completed');
  expect(await captioner.captions(runId, 'vtt')).toStartWith('WEBVTT');
  // Klingon, which nothing here translates into.
  expect((await captioner.translate(runId, 'tlh', waiting)).state).toBe('failed');
  const unknown = await captioner.wait('run_none').catch((error: unknown) => error);
  expect(unknown).toMatchObject({ status: 404, code: 'run_not_found' });
  const { headers, body } = deliveryOf(receiver);
  expect((await verifyWebhook(body, headers, secret)).type).toBe('run.completed');
  for (const [sent, of, now] of [
    [`${body} `, headers, Date.now()],
    [body, headers, Date.now() + 600_000],
    [body, {}, Date.now()],
  ]) {
    const refusal = verifyWebhook(sent, of, secret, now);
    expect(await refusal.catch((error: unknown) => error)).toMatchObject({
      code: 'invalid_signature',
    });
  }
});
