/** Searches the logs and all files of a complete run for the secrets it used, at the most detailed log level. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Glob } from 'bun';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { client, completeClaim, register, type Any } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { expectNoSecrets } from '../../support/secrets.ts';
import {
  removeFolder,
  startServerProcess,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import { startSmtpDouble } from '../../support/doubles/smtp-double.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import {
  startWorkosDouble,
  WORKOS_KEY,
  type WorkosDouble,
} from '../../support/doubles/workos-double.ts';
import { sample } from '../../support/sample.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const smtp = await startSmtpDouble();
let workos: WorkosDouble;
beforeAll(async () => {
  workos = await startWorkosDouble();
});
afterAll(async () => {
  await deepgram.close();
  await smtp.close();
  await workos.close();
});

/** Everything that a client does, including errors; returns the secrets used. */
async function wholeRun(
  server: ServerProcess,
  mailed: (email: string) => Promise<string>,
): Promise<string[]> {
  const secrets: string[] = [];
  const start = async (email: string): Promise<[token: string, code: string]> => {
    const { claim_token } = await (await register(server.url, email)).json();
    const code = await mailed(email);
    secrets.push(claim_token, code);
    return [claim_token, code];
  };
  const [burnt] = await start('burnt@example.com');
  for (let tries = 0; tries < 6; tries += 1) await completeClaim(server.url, burnt, '000000');
  const [token, code] = await start('ann@example.com');
  const { credential } = await (await completeClaim(server.url, token, code)).json();
  secrets.push(credential);
  await completeClaim(server.url, token, code);
  const ann = client(server.url, credential);
  expect((await ann.put('talks/a.mp3', talk)).status).toBe(200);
  await ann.put('talks/b.mp3', 'no mp3');
  const payload = {
    audio: { key: 'talks/a.mp3' },
    transcription: { provider: 'deepgram' },
    storage: { retainSourceAudio: true },
  };
  expect(((await ann.caption(payload)) as Any).result.status).toBe('completed');
  deepgram.behave(() => new Response('{"err_msg":"no"}', { status: 401 }));
  expect(((await ann.caption(payload)) as Any).result.status).toBe('failed');
  deepgram.behave(null);
  await client(server.url, `${credential}x`).start(payload);
  await client(server.url, 'cap_live_a-made-up-key').start(payload);
  secrets.push(`${credential}x`, 'cap_live_a-made-up-key');
  await fetch(`${server.url}/workflows/captioner/none?key=${credential}`, {
    headers: { authorization: `Basic ${credential}` },
  });
  await server.stop();
  return secrets;
}

/** The log, and all files of the data folder except recordings, by name. */
async function leftBehind(server: ServerProcess): Promise<[name: string, text: string][]> {
  const left: [string, string][] = [['log', server.log()]];
  for await (const name of new Glob('**/*').scan({ cwd: server.dataDir, dot: true })) {
    left.push([name, await readFile(join(server.dataDir, name), 'latin1')]);
  }
  return left;
}

const common = { LOG_LEVEL: 'debug', DEEPGRAM_API_KEY: DEEPGRAM_KEY };

test.each([
  [
    'embedded',
    () => ({ SMTP_URL: smtp.url, DEEPGRAM_BASE_URL: deepgram.origin }),
    (email: string) => smtp.code(email),
  ],
  [
    'workos',
    () => ({ ...workos.env, DEEPGRAM_BASE_URL: deepgram.origin }),
    async (email: string) => workos.code(email),
  ],
] as const)(
  '%s: no secret is in the log, in a database or in a file',
  async (_name, env, mailed) => {
    const server = await startServerProcess({ env: { ...common, ...env() } });
    const secrets = await wholeRun(server, mailed);
    const all = [...secrets, 'smtp-password', DEEPGRAM_KEY, WORKOS_KEY];
    const left = await leftBehind(server);
    const names = left.map(([name]) => name);
    expect(names).toContain('log');
    expect(names).toContain('captioner.sqlite');
    expect(names).toContain('runs.sqlite');
    for (const [name, text] of left) expectNoSecrets(text, all, name);
    const [, log = ''] = left[0] ?? [];
    expect(log).toContain('protected_request');
    expect(log).not.toContain('ann@example.com');
    expect(log).not.toContain('talks/a.mp3');
    expect(log).not.toContain('Thank you');
    expect(log).not.toContain('off kit');
    await removeFolder(server.dataDir);
  },
);
