/** The service with doubles of its providers: a run, a cancellation and a crash. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { validator } from '../../../server/contract/schema.ts';
import { WorkflowResultEnvelope } from '../../../server/contract/results.ts';
import { signUp, until, type Any, type Client } from '../../support/servers/client.ts';
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

const payload = (provider: string, more: Any = {}) => ({
  audio: { key: 'talk.mp3' },
  terminology: { packs: 'vendors/workos' },
  ...more,
  transcription: { provider, ...more.transcription },
});
const caption = async (body: Any): Promise<Any> => {
  await ann.put('talk.mp3', chirp);
  const envelope = await ann.caption(body);
  expect(validator(WorkflowResultEnvelope).issues(envelope)).toEqual([]);
  return envelope.result;
};

test('a run with deepgram: words are corrected, speakers and utterances kept', async () => {
  const result = await caption(payload('deepgram'));
  expect(result.status).toBe('completed');
  expect(result.transcript.text).toBe('Welcome to AuthKit. Thank you.');
  expect(result.transcript.words.map((word: Any) => word.speaker)).toEqual([
    '0',
    '0',
    '0',
    '1',
    '1',
  ]);
  expect(result.transcript.utterances).toMatchObject([
    { firstWord: 0, lastWord: 2, speaker: '0', text: 'Welcome to AuthKit.' },
    { firstWord: 3, lastWord: 4, speaker: '1', text: 'Thank you.' },
  ]);
  expect(result.transcript.metadata).toMatchObject({ provider: 'deepgram', requestId: 'req-1' });
  expect(result.metadata.models.transcription).toMatchObject({ model: 'nova-3' });
  expect(result.metadata.storage.sourceAudio.status).toBe('deleted');
  expect(result).not.toHaveProperty('raw');
  const { injectedKeyterms } = result.metadata.terminology.packs;
  expect(injectedKeyterms).toContain('AuthKit');
  expect(deepgram.requests[0]!.url.searchParams.getAll('keyterm')).toEqual(injectedKeyterms);
});

test('the raw payload is returned if it is requested', async () => {
  const result = await caption(
    payload('deepgram', { transcription: { includeRawResponse: true, model: 'nova-2' } }),
  );
  expect(result.raw.transcription).toEqual({
    provider: 'deepgram',
    payloads: [deepgramAnswer(TALK)],
  });
  expect(deepgram.requests[0]!.url.searchParams.get('model')).toBe('nova-2');
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
