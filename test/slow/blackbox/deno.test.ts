/** The same server on Deno: it starts, serves discovery and registration, and captions. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { metricsOf, signUp, until, type Any } from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { connectMcp } from '../../support/servers/mcp.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import { testServer } from '../../support/servers/test-server.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
} from '../../support/doubles/speech-doubles.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { sample } from '../../support/sample.ts';
import { ASSEMBLYAI_KEY, DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const root = fileURLToPath(new URL('../../..', import.meta.url));

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const assemblyai = await startHttpDouble(assemblyAiWire(assemblyAiAnswer(TALK)));

// Deno has no bundler: it serves the files from the build.
const built = Bun.spawnSync([process.execPath, 'scripts/build.ts'], { cwd: root });
if (!built.success) throw new Error(`the build failed: ${built.stderr.toString()}`);

const { env } = await tinyModelEnvironment();
const server = await testServer({
  runtime: 'deno',
  env: {
    ...env,
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

test('registration, upload and a run', async () => {
  const ann = await signUp(server, 'ann@example.com');
  expect((await ann.put('a.mp3', await readFile(sample))).status).toBe(200);
  const { result } = (await ann.caption({ audio: { key: 'a.mp3' } })) as Any;
  expect(result.status).toBe('completed');
  expect(result.captions.cues.length).toBeGreaterThan(0);
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

test('a stream of events, and the MCP server', async () => {
  const ann = await signUp(server, 'ann@example.org');
  const client = await connectMcp(`${server.url}/mcp`, { authorization: `Bearer ${ann.key}` });
  const told: number[] = [];
  const base64 = (await readFile(sample)).toString('base64');
  const { structuredContent }: Any = await client.callTool(
    { name: 'caption_audio', arguments: { audio: { base64 } } },
    { onprogress: ({ progress }) => told.push(progress) },
  );
  await client.close();
  expect(structuredContent.state).toBe('completed');
  expect(told.length).toBeGreaterThan(1);
  const stream = await ann.get(`/workflows/captioner/${structuredContent.runId}/events`);
  expect(await stream.text()).toStartWith('id: 1\nevent: run\ndata: {"runId"');
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

needsPostgres('web and worker processes on PostgreSQL and S3', async () => {
  const fleet = await startFleet({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
  });
  deepgram.behave(null);
  const web = await fleet.start('web', {}, 'deno');
  const worker = await fleet.start('worker', {}, 'deno');
  const ann = await signUp(web, 'ann@example.com');
  expect((await ann.put('a.mp3', await readFile(sample))).status).toBe(200);
  const payload = { audio: { key: 'a.mp3' }, transcription: { provider: 'deepgram' } };
  const { result } = (await ann.caption(payload)) as Any;
  expect([result.status, result.error]).toEqual(['completed', undefined]);
  expect(await fleet.s3.objects(fleet.bucket)).toEqual([]);
  // A waiting client gets the result before the worker has counted it.
  await until(async () =>
    (await metricsOf(worker)).includes('captioner_runs_finished_total{state="completed"} 1'),
  );
  expect([await worker.stop(), await web.stop()]).toEqual([0, 0]);
  await fleet.close();
});
