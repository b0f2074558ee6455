/** The same server on Deno: it boots, answers discovery and registration, and does the job. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { signUp, type Any } from '../support/client.ts';
import { startHttpDouble } from '../support/http-double.ts';
import { removeFolder, startServerProcess, type ServerProcess } from '../support/server-process.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
} from '../support/speech-doubles.ts';
import { tinyModelEnvironment } from '../support/tiny-model-environment.ts';
import { sample } from '../support/sample.ts';

setDefaultTimeout(120_000);

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const assemblyai = await startHttpDouble(assemblyAiWire(assemblyAiAnswer(TALK)));

let server: ServerProcess;
beforeAll(async () => {
  const { env } = await tinyModelEnvironment();
  server = await startServerProcess({
    runtime: 'deno',
    env: {
      ...env,
      DEEPGRAM_API_KEY: 'key',
      DEEPGRAM_BASE_URL: deepgram.origin,
      ASSEMBLYAI_API_KEY: 'key',
      ASSEMBLYAI_BASE_URL: assemblyai.origin,
    },
  });
});
afterAll(async () => {
  await deepgram.close();
  await assemblyai.close();
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

test.each([
  ['deepgram', deepgram],
  ['assemblyai', assemblyai],
] as const)('%s is sent the recording as it is, and heard', async (provider, double) => {
  const ann = await signUp(server, `${provider}@example.com`);
  const talk = await readFile(sample);
  await ann.put('a.mp3', talk);
  const payload = { audio: { key: 'a.mp3' }, transcription: { provider } };
  const { result } = (await ann.caption(payload)) as Any;
  expect([result.status, result.error]).toEqual(['completed', undefined]);
  expect(result.transcript.words).not.toBeEmpty();
  expect(new Uint8Array(double.requests[0]!.body)).toEqual(new Uint8Array(talk));
});

test('a provider that fails is told of on Deno as on Bun', async () => {
  deepgram.requests.length = 0;
  deepgram.behave(() => ({ fault: 'reset' }));
  const ann = await signUp(server, 'ann@example.net');
  await ann.put('a.mp3', await readFile(sample));
  const payload = { audio: { key: 'a.mp3' }, transcription: { provider: 'deepgram' } };
  const { result } = (await ann.caption(payload)) as Any;
  expect(result.error).toMatchObject({ code: 'provider_bad_response', stage: 'transcription' });
  expect(deepgram.requests).toHaveLength(2);
});
