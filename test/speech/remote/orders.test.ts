/** Requests to each service, so that nothing is paid for twice. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { deepgramLanguage } from '../../../server/speech/remote/deepgram-languages.ts';
import { readAssemblyAi } from '../../../server/speech/remote/payloads/assemblyai.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  TALK,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { CLOUDFLARE_TOKEN } from '../../support/doubles/provider-keys.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { registry, remoteSpeech } from '../support.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();
const assemblyAi = () => assemblyAiWire(assemblyAiAnswer(TALK), 0);
const turbo = '@cf/openai/whisper-large-v3-turbo';
const cloudflare = {
  CLOUDFLARE_ACCOUNT_ID: 'acc',
  CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
  CLOUDFLARE_BASE_URL: double.origin,
};

describe('assemblyai', () => {
  test('the plan has the model and the requested transcript', async () => {
    const { plan } = await transcribe('assemblyai', { wire: assemblyAi() });
    expect(plan).toMatchObject({
      engine: { provider: 'assemblyai', model: 'universal-3-5-pro', keytermsInjected: true },
      pieces: [{ index: 0, start: 0, end: plan.duration, transcriptId: 'tr-1' }],
    });
    expect(plan.engine).not.toHaveProperty('speakerLabels');
  });

  test('a failing service is not called with fewer options, whatever it says', async () => {
    const wire = assemblyAi();
    const error = 'The following models are not available in this language: speaker_labels';
    const made = transcribe('assemblyai', {
      wire: (request) =>
        request.method === 'POST' && request.url.pathname === '/v2/transcript'
          ? Response.json({ error }, { status: 500 })
          : wire(request),
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
    const orders = double.requests.filter(
      ({ method, url }) => method === 'POST' && url.pathname === '/v2/transcript',
    );
    expect(orders).toHaveLength(4);
    for (const { body } of orders) expect(String(body)).toContain('speaker_labels');
  });

  test.each(['upload', 'transcript'])('an empty response to %s ends the run', async (at) => {
    const wire = assemblyAi();
    const made = transcribe('assemblyai', {
      wire: (request) =>
        request.url.pathname === `/v2/${at}` ? Response.json({ ok: true }) : wire(request),
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
    expect(double.requests.at(-1)!.url.pathname).toBe(`/v2/${at}`);
  });

  test('an empty response to a poll ends the run, and polls have no body', async () => {
    const healthy = assemblyAi();
    const made = transcribe('assemblyai', {
      wire: (request) =>
        request.method === 'GET' ? Response.json({ id: 'tr-1' }) : healthy(request),
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
    const looks = double.requests.filter(({ method }) => method === 'GET');
    expect(looks.map((look) => look.header('content-type'))).toEqual([null]);
  });

  test("only the request for this upload counts as made, not somebody else's latest one", async () => {
    const wire = assemblyAi();
    const transcripts = [
      { id: 'theirs', status: 'completed', audio_url: 'https://cdn.example/other' },
      { id: 'unknown', status: 'queued', audio_url: null },
      // This one is of our upload, but without an id it cannot be requested.
      { status: 'queued', audio_url: 'https://cdn.assemblyai.example/upload/1' },
    ];
    const { plan } = await transcribe('assemblyai', {
      wire: async (request) => {
        if (request.at === 1) return { fault: 'drop' };
        return request.url.search === '?limit=200' ? Response.json({ transcripts }) : wire(request);
      },
    });
    expect(plan.pieces[0]).toMatchObject({ transcriptId: 'tr-1' });
  });

  test('uploading may take longer than a poll, by a quarter of the recording', async () => {
    const waiting = noWaiting();
    const { plan } = await transcribe('assemblyai', { wire: assemblyAi(), waiting });
    const [upload, ...others] = waiting.limits;
    expect(upload).toBe(30_000 + plan.duration * 250);
    expect(new Set(others)).toEqual(new Set([30_000]));
  });

  test('a response has its id, and speech without turns has no utterances', () => {
    const answer = assemblyAiAnswer(TALK);
    expect(readAssemblyAi(answer)?.metadata).toEqual({
      transcriptId: 'tr-1',
      detectedLanguage: 'en',
    });
    expect(readAssemblyAi(answer)?.duration).toBe(3);
    const bare = readAssemblyAi({ ...answer, utterances: null, audio_duration: null });
    expect(bare?.utterances).toBeUndefined();
    expect(bare?.duration).toBeUndefined();
    expect(readAssemblyAi({ ...answer, words: null })).toBeNull();
  });
});

test('a poll waits for the pause before it', async () => {
  const pause = Promise.withResolvers<void>();
  const healthy = assemblyAiWire(assemblyAiAnswer(TALK), 1);
  const waiting = { ...noWaiting(), pause: () => pause.promise };
  const looks = () =>
    double.requests.filter(({ url }) => url.pathname === '/v2/transcript/tr-1').length;
  const made = transcribe('assemblyai', { wire: healthy, waiting });
  while (looks() === 0) await new Promise(setImmediate);
  // Enough time for another poll to arrive.
  for (let each = 0; each < 5; each += 1) await fetch(`${double.origin}/v2/other`);
  expect(looks()).toBe(1);
  pause.resolve();
  await made;
  expect(looks()).toBe(2);
});

test.each(['deepgram', 'assemblyai', 'edge'])('the provider %s has its name', (name) => {
  const env = { DEEPGRAM_API_KEY: 'k', ASSEMBLYAI_API_KEY: 'k', ...cloudflare };
  expect(registry(env).provider(name)?.name).toBe(name);
});

test.each([
  ['cmn', 'zh'],
  ['fil', 'tl'],
  ['iw', 'he'],
  ['nb-NO', 'no'],
  ['nn', 'no'],
  ['yue', 'zh-HK'],
])('Deepgram gets %s as %s', (language, code) => {
  expect(deepgramLanguage(language)).toBe(code);
});

describe('edge', () => {
  test('sends four pieces of a recording at once, and reports the model', async () => {
    const edge = registry(cloudflare).provider('edge')!;
    expect(edge.piecesAtOnce).toBe(4);
    const waiting = noWaiting();
    const { plan } = await transcribe('edge', {
      wire: workersAiWire({ [turbo]: () => workersAiAnswer(TALK) }),
      env: cloudflare,
      waiting,
    });
    expect(plan.engine).toEqual({
      provider: 'edge',
      model: turbo,
      engine: 'workers-ai',
      keytermsInjected: true,
    });
    expect(waiting.limits).toEqual([30_000 + plan.duration * 250]);
    const [request] = double.requests;
    expect(JSON.parse(String(request!.body))).not.toHaveProperty('initial_prompt');
  });

  test('sends as many key terms as its model accepts', () => {
    const limit = registry(cloudflare).provider('edge')!.keytermLimit!;
    expect(limit('@cf/deepgram/nova-3')).toMatchObject({ terms: 1 });
    expect(limit(undefined)).toEqual(limit('@cf/openai/whisper'));
    expect(limit(undefined)).not.toHaveProperty('terms', 1);
  });

  test('Deepgram on Workers AI gets the best key term, and punctuates', async () => {
    await transcribe('edge', {
      wire: workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK) }),
      env: cloudflare,
      request: { model: '@cf/deepgram/nova-3', keyterms: ['AuthKit', 'PKCE'], language: 'de' },
    });
    expect(Object.fromEntries(double.requests[0]!.url.searchParams)).toEqual({
      language: 'de',
      smart_format: 'true',
      punctuate: 'true',
      paragraphs: 'true',
      utterances: 'true',
      diarize: 'true',
      keyterm: 'AuthKit',
    });
  });
});
