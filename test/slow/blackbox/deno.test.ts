/** What a server on Deno does that no test of test/slow/runtime asks for: documents, codings, calls of providers. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { signUp, type Any } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { testServer } from '../../support/servers/test-server.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
} from '../../support/doubles/speech-doubles.ts';
import { sample } from '../../support/sample.ts';
import { ASSEMBLYAI_KEY, DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const root = fileURLToPath(new URL('../../..', import.meta.url));

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const assemblyai = await startHttpDouble(assemblyAiWire(assemblyAiAnswer(TALK)));

// Deno has no bundler: it serves the files from the build.
const built = Bun.spawnSync([process.execPath, 'scripts/build.ts'], { cwd: root });
if (!built.success) throw new Error(`the build failed: ${built.stderr.toString()}`);

const server = await testServer({
  runtime: 'deno',
  env: {
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
    ASSEMBLYAI_BASE_URL: assemblyai.origin,
  },
});
afterAll(async () => {
  await deepgram.close();
  await assemblyai.close();
});

test.each([
  ['/', 'text/html'],
  ['/auth.md', 'text/markdown'],
  ['/guide', 'text/html'],
  ['/docs', 'text/html'],
  ['/app', 'text/html'],
  ['/docs.md', 'text/markdown'],
  ['/robots.txt', 'text/plain'],
  ['/openapi.json', 'json'],
  ['/.well-known/oauth-protected-resource', 'application/json'],
  ['/terminology/packs', 'application/json'],
  ['/health', 'application/json'],
])('%s responds', async (path, type) => {
  const response = await fetch(`${server.url}${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining(type),
  ]);
  expect((await response.text()).length).toBeGreaterThan(0);
});

test('documents in every coding, HEAD, 304, 405 and pages of errors', async () => {
  for (const coding of ['br', 'zstd', 'gzip']) {
    const headers = { 'accept-encoding': coding };
    const response = await fetch(server.url, { headers });
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(await response.text()).toContain('<h1');
    const again = { 'if-none-match': response.headers.get('etag') ?? '', ...headers };
    expect((await fetch(server.url, { headers: again })).status).toBe(304);
  }
  const head = await fetch(`${server.url}/health`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await fetch(server.url, { method: 'POST' })).status).toBe(405);
  const nothing = await fetch(`${server.url}/nothing`, { headers: { accept: 'text/html' } });
  expect([nothing.status, await nothing.text()]).toEqual([404, expect.stringContaining('<h1')]);
});

test.each([
  ['deepgram', deepgram],
  ['assemblyai', assemblyai],
] as const)('%s gets the unchanged recording, and its words are used', async (provider, double) => {
  const ann = await signUp(server, `${provider}@example.com`);
  const talk = await readFile(sample);
  await ann.put('a.mp3', talk);
  const payload = { audio: { key: 'a.mp3' }, transcription: { provider } };
  const { result } = (await ann.caption(payload)) as Any;
  expect([result.status, result.error]).toEqual(['completed', undefined]);
  expect(result.transcript.words).not.toBeEmpty();
  expect(new Uint8Array(double.requests[0]!.body)).toEqual(new Uint8Array(talk));
});

test('a failing provider is reported on Deno as on Bun', async () => {
  deepgram.requests.length = 0;
  deepgram.behave(() => ({ fault: 'reset' }));
  const ann = await signUp(server, 'ann@example.net');
  await ann.put('a.mp3', await readFile(sample));
  const payload = { audio: { key: 'a.mp3' }, transcription: { provider: 'deepgram' } };
  const { result } = (await ann.caption(payload)) as Any;
  expect(result.error).toMatchObject({ code: 'provider_bad_response', stage: 'transcription' });
  expect(deepgram.requests).toHaveLength(2);
});
