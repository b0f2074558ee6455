/** Calls of providers that a cancellation or a crash interrupts. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { signUp, until, type Client } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import {
  removeFolder,
  startServerProcess,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
} from '../../support/doubles/speech-doubles.ts';
import { ASSEMBLYAI_KEY, DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const assemblyai = await startHttpDouble(assemblyAiWire(assemblyAiAnswer(TALK)));
const env = {
  DEEPGRAM_API_KEY: DEEPGRAM_KEY,
  DEEPGRAM_BASE_URL: deepgram.origin,
  ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
  ASSEMBLYAI_BASE_URL: assemblyai.origin,
};

let server: ServerProcess;
let ann: Client;
beforeAll(async () => {
  server = await startServerProcess({ env });
  ann = await signUp(server, 'ann@example.com');
});
afterAll(async () => {
  await server.stop();
  await removeFolder(server.dataDir);
  await deepgram.close();
  await assemblyai.close();
});
beforeEach(() => {
  for (const double of [deepgram, assemblyai]) {
    double.requests.length = 0;
    double.behave(null);
  }
});

const payload = (provider: string) => ({
  audio: { key: 'talk.mp3' },
  transcription: { provider },
});
test('cancelling ends the request at once', async () => {
  deepgram.behave(() => ({ fault: 'hang' }));
  await ann.put('talk.mp3', chirp);
  const { runId } = await (await ann.start(payload('deepgram'))).json();
  await until(async () => deepgram.requests.length === 1);
  await fetch(`${server.url}/workflows/captioner/${runId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${ann.key}` },
  });
  const run = await until(async () => {
    const found = await ann.run(runId);
    return found.finishedAt && found;
  });
  expect(run.state).toBe('cancelled');
  await until(async () => deepgram.abandoned() === 1);
});

test('after kill -9, a run fetches the transcript it has already paid for', async () => {
  let done = false;
  const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
  assemblyai.behave((request) =>
    request.method === 'GET' && !done
      ? Response.json({ id: 'tr-1', status: 'processing' })
      : wire(request),
  );
  await ann.put('talk.mp3', chirp);
  const { runId } = await (await ann.start(payload('assemblyai'))).json();
  await until(async () => assemblyai.requests.some(({ method }) => method === 'GET'));
  const { dataDir } = server;
  const log = server.log();
  await server.kill();
  done = true;
  server = await startServerProcess({ env, dataDir });
  ann = { ...ann, ...(await signUp(server, 'ann@example.com')) };
  const run = await until(async () => {
    const found = await ann.run(runId);
    return found.finishedAt && found;
  });
  expect(run.state).toBe('completed');
  expect(assemblyai.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  expect(log + server.log()).not.toMatch(/secret-key|Welcome|AuthKit/);
});
