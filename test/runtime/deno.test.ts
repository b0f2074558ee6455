/** The same server on Deno: it boots, answers discovery and registration, and does the job. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { signUp, type Any } from '../support/client.ts';
import { removeFolder, startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { tinyModelEnvironment } from '../support/tiny-model-environment.ts';

setDefaultTimeout(120_000);

const sample = fileURLToPath(new URL('../../sample/agent-registration.mp3', import.meta.url));

let server: ServerProcess;
beforeAll(async () => {
  const { env } = await tinyModelEnvironment();
  server = await startServerProcess({ runtime: 'deno', env });
});
afterAll(async () => {
  await server.stop();
  await removeFolder(server.dataDir);
});

test.each([
  ['/', 'text/html'],
  ['/auth.md', 'text/markdown'],
  ['/robots.txt', 'text/plain'],
  ['/openapi.json', 'json'],
  ['/.well-known/oauth-protected-resource', 'application/json'],
  ['/terminology/packs', 'application/json'],
  ['/health', 'application/json'],
])('%s answers', async (path, type) => {
  const response = await fetch(`${server.url}${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining(type),
  ]);
  expect((await response.text()).length).toBeGreaterThan(0);
});

test('registration, upload and a run', async () => {
  const ann = await signUp(server, 'ann@example.com');
  expect((await ann.put('a.mp3', await readFile(sample))).status).toBe(200);
  const { result } = (await ann.caption({ audio: { key: 'a.mp3' } })) as Any;
  expect(result.status).toBe('completed');
  expect(result.captions.cues.length).toBeGreaterThan(0);
});
