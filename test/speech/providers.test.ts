/** What each transcription provider sends, and what it makes of the answer, over real HTTP. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { indexMp3 } from '../../server/speech/edge/mp3/frames.ts';
import type { AudioSource, TranscriptionRequest } from '../../server/speech/provider.ts';
import { createSpeechRegistry } from '../../server/speech/registry.ts';
import { fitKeyterms } from '../../server/terminology/keyterms.ts';
import { startHttpDouble, type Wire } from '../support/http-double.ts';
import { chirp } from '../support/pipeline-run.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../support/speech-doubles.ts';

setDefaultTimeout(60_000);

const double = await startHttpDouble(() => new Response(null, { status: 500 }));
afterAll(() => double.close());
beforeEach(() => void (double.requests.length = 0));

const cloudflare = { CLOUDFLARE_ACCOUNT_ID: 'acc', CLOUDFLARE_API_TOKEN: 'cf-key' };
const registry = (env: Record<string, string>) =>
  createSpeechRegistry({
    ...readConfig({ PROVIDER_TIMEOUT: '5', ...env }),
    slots: 1,
    tempDir: '/nowhere',
    log: createLog('silent'),
  });

const source = (bytes: Uint8Array): AudioSource => ({
  size: bytes.length,
  async *read({ start, end } = { start: 0, end: bytes.length }) {
    for (let at = start; at < end; at += 5000) yield bytes.subarray(at, Math.min(end, at + 5000));
  },
});

interface Given {
  wire: Wire;
  env?: Record<string, string>;
  request?: Partial<TranscriptionRequest>;
  audio?: Uint8Array;
}

/** Plans, transcribes and merges, with what is sent and kept in between as JSON. */
async function transcribe(name: string, { wire, env = {}, request = {}, audio = chirp }: Given) {
  double.behave(wire);
  const provider = registry({
    DEEPGRAM_API_KEY: 'dg-key',
    DEEPGRAM_BASE_URL: double.origin,
    ASSEMBLYAI_API_KEY: 'aai-key',
    ASSEMBLYAI_BASE_URL: double.origin,
    ...env,
  }).provider(name)!;
  const asked: TranscriptionRequest = {
    language: 'en',
    keyterms: [],
    chunkBytes: 1_048_576,
    includeRawResponse: false,
    ...request,
  };
  const context = { signal: new AbortController().signal, progress: () => {} };
  const plan = kept(await provider.plan(source(audio), asked, context));
  const pieces = [];
  for (const piece of plan.pieces) {
    pieces.push(kept(await provider.transcribe(source(audio), piece, asked, context)));
  }
  return { plan, pieces, transcript: provider.merge(plan, pieces, asked) };
}

const kept = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const spans = (list: { firstWord: number; lastWord: number }[]) =>
  list.map(({ firstWord, lastWord }) => [firstWord, lastWord]);

describe('deepgram', () => {
  const wire = deepgramWire(deepgramAnswer(TALK));

  test('sends the recording as it is, with what it is to do', async () => {
    await transcribe('deepgram', {
      wire,
      request: { keyterms: ['AuthKit', 'Model Context Protocol'] },
    });
    const [request] = double.requests;
    expect(request!.header('authorization')).toBe('Token dg-key');
    expect(request!.header('content-type')).toBe('audio/mpeg');
    expect(new Uint8Array(request!.body)).toEqual(new Uint8Array(chirp));
    const { searchParams } = request!.url;
    for (const switchedOn of ['smart_format', 'utterances', 'paragraphs', 'diarize']) {
      expect(searchParams.get(switchedOn)).toBe('true');
    }
    expect(searchParams.get('model')).toBe('nova-3');
    expect(searchParams.get('language')).toBe('en');
    expect(searchParams.getAll('keyterm')).toEqual(['AuthKit', 'Model Context Protocol']);
  });

  test('words, times, speakers, utterances, paragraphs and what it tells of itself', async () => {
    const { transcript, plan } = await transcribe('deepgram', { wire });
    expect(transcript.words).toEqual(TALK);
    expect(spans(transcript.utterances)).toEqual([
      [0, 3],
      [4, 5],
    ]);
    expect(spans(transcript.paragraphs)).toEqual([
      [0, 3],
      [4, 5],
    ]);
    expect(transcript.utterances[1]).toMatchObject({ speaker: '1', start: 2.9, end: 3.5 });
    expect(transcript.duration).toBe(4);
    expect(transcript.metadata).toMatchObject({ requestId: 'req-1', modelName: 'general-nova-3' });
    expect(plan.engine).toMatchObject({ provider: 'deepgram', model: 'nova-3' });
  });

  test.each([
    ['nova-2', 'keywords', ['AuthKit']],
    ['nova-3-medical', 'keyterm', ['AuthKit', 'two words']],
    ['whisper-large', 'keyterm', []],
  ])('%s takes key terms as %s', async (model, parameter, expected) => {
    const limit = registry({ DEEPGRAM_API_KEY: 'k' }).provider('deepgram')!.keytermLimit!(model);
    const { injected } = fitKeyterms(['AuthKit', 'two words'], limit);
    await transcribe('deepgram', { wire, request: { model, keyterms: injected } });
    const { searchParams } = double.requests[0]!.url;
    expect(searchParams.get('model')).toBe(model);
    expect(searchParams.getAll(parameter)).toEqual(expected);
  });

  test.each([
    [400, 'Bad Request: No such model/language/tier combination found.', 'language_unsupported'],
    [400, 'Bad Request: failed to process audio: corrupt or unsupported data', 'audio_unreadable'],
    [400, 'Bad Request: something else', 'provider_bad_response'],
    [402, 'Project does not have enough credits', 'provider_unauthorized'],
  ])('%d %s is %s', async (status, err_msg, code) => {
    const made = transcribe('deepgram', { wire: () => Response.json({ err_msg }, { status }) });
    await expect(made).rejects.toMatchObject({ failure: { code } });
    expect(double.requests).toHaveLength(1);
  });

  test('a refusal that comes before the recording is all sent is heard', async () => {
    const large = Buffer.concat(Array.from({ length: 400 }, () => chirp));
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('{}', { status: 401 }),
    });
    const made = transcribe('deepgram', {
      wire,
      audio: large,
      env: { DEEPGRAM_BASE_URL: `http://127.0.0.1:${server.port}` },
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unauthorized' } });
    await server.stop(true);
  });

  test('the payload itself comes only where it is asked for', async () => {
    const plain = await transcribe('deepgram', { wire });
    expect(plain.pieces[0]!.raw).toBeUndefined();
    const raw = await transcribe('deepgram', { wire, request: { includeRawResponse: true } });
    expect(raw.pieces[0]!.raw).toEqual(deepgramAnswer(TALK));
  });

  test('a failure shows what was answered only where it is asked for, and never the key', async () => {
    const wire: Wire = () => Response.json({ why: 'Token dg-key is bad' }, { status: 401 });
    const failure = (includeRawResponse: boolean) =>
      transcribe('deepgram', { wire, request: { includeRawResponse } }).catch(
        (error: { failure: unknown }) => error.failure,
      );
    expect(await failure(true)).toMatchObject({
      debug: { status: 401, raw: { why: '[redacted] is bad' } },
    });
    expect(await failure(false)).not.toHaveProperty('debug.raw');
  });

  test('silence is a transcript without words', async () => {
    const { transcript } = await transcribe('deepgram', { wire: deepgramWire(deepgramAnswer([])) });
    expect(transcript).toMatchObject({ words: [], utterances: [], paragraphs: [], text: '' });
  });
});

describe('assemblyai', () => {
  const wire = (looks = 1) => assemblyAiWire(assemblyAiAnswer(TALK), looks);

  test('uploads, asks once, and looks until it is done', async () => {
    const { transcript } = await transcribe('assemblyai', {
      wire: wire(2),
      request: { keyterms: ['AuthKit'], language: 'en-GB' },
    });
    expect(double.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'POST /v2/upload',
      'POST /v2/transcript',
      'GET /v2/transcript/tr-1',
      'GET /v2/transcript/tr-1',
      'GET /v2/transcript/tr-1',
    ]);
    expect(double.requests.every((request) => request.header('authorization') === 'aai-key')).toBe(
      true,
    );
    expect(new Uint8Array(double.requests[0]!.body)).toEqual(new Uint8Array(chirp));
    expect(JSON.parse(double.requests[1]!.body.toString())).toEqual({
      audio_url: 'https://cdn.assemblyai.example/upload/1',
      speech_models: ['universal-3-pro', 'universal-2'],
      language_code: 'en_uk',
      punctuate: true,
      format_text: true,
      speaker_labels: true,
      keyterms_prompt: ['AuthKit'],
    });
    expect(transcript.words.map(({ text, start, end }) => ({ text, start, end }))).toEqual(
      TALK.map(({ text, start, end }) => ({ text, start, end })),
    );
    expect(transcript.words[4]!.speaker).toBe('B');
    expect(spans(transcript.utterances)).toEqual([
      [0, 3],
      [4, 5],
    ]);
    expect(transcript.duration).toBe(3.5);
  });

  test.each([
    ['nano', { speech_model: 'nano', word_boost: ['AuthKit'], boost_param: 'high' }],
    ['slam-1', { speech_model: 'slam-1', keyterms_prompt: ['AuthKit'] }],
    ['universal-2', { speech_models: ['universal-2'], keyterms_prompt: ['AuthKit'] }],
  ])('%s', async (model, expected) => {
    await transcribe('assemblyai', { wire: wire(0), request: { model, keyterms: ['AuthKit'] } });
    const body = JSON.parse(double.requests[1]!.body.toString());
    expect(body).toMatchObject(expected);
    expect(Object.keys(body)).not.toContain(
      'word_boost' in expected ? 'keyterms_prompt' : 'word_boost',
    );
  });

  test.each([
    ['Language detection failed: language_code xx is not supported', 'language_unsupported'],
    ['File does not appear to contain audio. File type is text/html', 'audio_unreadable'],
    ['Internal server error', 'provider_unavailable'],
  ])('a transcript that ends with "%s" is %s', async (error, code) => {
    const ended: Wire = (request) =>
      request.method === 'GET'
        ? Response.json({ id: 'tr-1', status: 'error', error })
        : wire()(request);
    const made = transcribe('assemblyai', { wire: ended });
    await expect(made).rejects.toMatchObject({ failure: { code, provider: 'assemblyai' } });
    await expect(made).rejects.not.toMatchObject({ message: expect.stringContaining(error) });
  });

  test('one that is never done is a time-out, by the length of the recording', async () => {
    const made = transcribe('assemblyai', { wire: wire(1000), env: { PROVIDER_TIMEOUT: '1' } });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_timeout' } });
    expect(double.requests.length).toBeGreaterThan(4);
  });

  test('a look that fails is repeated, without another upload', async () => {
    const healthy = wire(0);
    const { transcript } = await transcribe('assemblyai', {
      wire: (request) =>
        request.at === 2 ? new Response(null, { status: 502 }) : healthy(request),
    });
    expect(transcript.words).toHaveLength(TALK.length);
    expect(double.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });
});

/** Words spread over a recording, and what of them a piece of it holds, as a service would hear it. */
const LONG = Buffer.concat(Array.from({ length: 60 }, () => chirp));
const longIndex = await indexMp3(source(LONG));
// Every frame gets a number, so that a piece can be told by its bytes.
for (let frame = 1; frame <= longIndex.frameCount; frame += 1) {
  LONG.writeUInt32BE(frame, longIndex.byteOffset(frame) - 4);
}
const longTalk = Array.from({ length: Math.floor(longIndex.duration / 0.5) }, (_, at) => ({
  text: `word${at},`,
  start: at * 0.5,
  end: at * 0.5 + 0.4,
}));

/** Where a piece begins in the recording, found by its bytes. */
function heardIn(piece: Uint8Array) {
  const byteStart = LONG.indexOf(piece);
  expect(byteStart).toBeGreaterThanOrEqual(0);
  const { samplesPerFrame, sampleRate, delaySamples, frameCount } = longIndex;
  let frame = 0;
  while (frame < frameCount && longIndex.byteOffset(frame) < byteStart) frame += 1;
  const start = (frame * samplesPerFrame - delaySamples) / sampleRate;
  const end = start + (piece.length / LONG.length) * longIndex.duration;
  return longTalk
    .filter((word) => word.start >= start && word.end <= end)
    .map((word) => ({ ...word, start: word.start - start, end: word.end - start }));
}

function expectWholeTalk(words: { text: string; start: number }[]): void {
  expect(words.map((word) => word.text)).toEqual(longTalk.map((word) => word.text));
  for (const [at, word] of words.entries()) expect(word.start).toBeCloseTo(longTalk[at]!.start, 1);
}

describe('edge through Workers AI', () => {
  const env = { ...cloudflare, CLOUDFLARE_BASE_URL: double.origin };
  const turbo = '@cf/openai/whisper-large-v3-turbo';
  const audioOf = (body: Buffer) => Buffer.from(JSON.parse(body.toString()).audio, 'base64');

  test('sends base64 with language and key terms', async () => {
    const wire = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });
    const { transcript, plan } = await transcribe('edge', {
      wire,
      env,
      request: { keyterms: ['AuthKit', 'SCIM'], language: 'pt-BR' },
    });
    const [request] = double.requests;
    expect(request!.url.pathname).toBe(`/accounts/acc/ai/run/${turbo}`);
    expect(request!.header('authorization')).toBe('Bearer cf-key');
    const { audio: _, ...rest } = JSON.parse(request!.body.toString());
    expect(rest).toEqual({
      task: 'transcribe',
      language: 'pt',
      vad_filter: true,
      initial_prompt: 'SCIM, AuthKit',
    });
    expect(new Uint8Array(audioOf(request!.body))).toEqual(new Uint8Array(chirp));
    expect(transcript.text).toBe('Welcome to off kit. Thank you.');
    expect(transcript.metadata).toEqual({ detectedLanguage: 'en' });
    expect(plan.engine).toMatchObject({ provider: 'edge', model: turbo, engine: 'workers-ai' });
  });

  test('a long recording goes in pieces within chunkBytes, and comes back whole', async () => {
    const wire = workersAiWire({
      [turbo]: ({ body }) => workersAiAnswer(heardIn(audioOf(body))),
    });
    const { transcript, plan } = await transcribe('edge', {
      wire,
      env,
      audio: LONG,
      request: { chunkBytes: 262_144 },
    });
    expect(plan.pieces.length).toBeGreaterThan(5);
    for (const { body } of double.requests) {
      expect(audioOf(body).length).toBeLessThanOrEqual(262_144);
    }
    expectWholeTalk(transcript.words);
  });

  test('other models are given what they take', async () => {
    const wire = workersAiWire({
      '@cf/deepgram/nova-3': () => deepgramAnswer(TALK),
      '@cf/openai/whisper': () => workersAiAnswer(TALK),
    });
    for (const model of ['@cf/deepgram/nova-3', '@cf/openai/whisper']) {
      const { transcript } = await transcribe('edge', { wire, env, request: { model } });
      expect(transcript.words).toHaveLength(TALK.length);
    }
    for (const { body } of double.requests) {
      expect(new Uint8Array(body)).toEqual(new Uint8Array(chirp));
    }
    expect(double.requests[0]!.url.searchParams.get('diarize')).toBe('true');
    expect(double.requests[1]!.url.search).toBe('');
  });

  test.each(['@cf/meta/none', '../../../user/tokens', '@cf/../x', 'a b', 'x?y'])(
    'the model %s is not there, and no other address is asked',
    async (model) => {
      const made = transcribe('edge', { wire: workersAiWire({}), env, request: { model } });
      await expect(made).rejects.toMatchObject({ failure: { code: 'model_unavailable', model } });
      for (const { url } of double.requests) {
        expect(url.pathname).toStartWith('/accounts/acc/ai/run/@cf/meta/');
      }
    },
  );

  test('success: false is no answer', async () => {
    const wire: Wire = () => Response.json({ success: false, result: null, errors: [] });
    await expect(transcribe('edge', { wire, env })).rejects.toMatchObject({
      failure: { code: 'provider_bad_response' },
    });
  });

  test('what Whisper makes of silence, and its loops, are no words', async () => {
    const answer = workersAiAnswer(TALK);
    const [segment] = answer.segments;
    const silent = { ...segment, no_speech_prob: 0.9, avg_logprob: -1.4 };
    const loop = {
      ...segment,
      compression_ratio: 9,
      words: Array.from({ length: 40 }, (_, at) => ({ word: ' go', start: 5 + at, end: 5.5 + at })),
    };
    const wire = workersAiWire({
      [turbo]: () => ({ ...answer, segments: [silent, segment, loop] }),
    });
    const { transcript } = await transcribe('edge', { wire, env });
    expect(transcript.text).toBe('Welcome to off kit. Thank you. go go go');
  });
});

describe('edge through an OpenAI-compatible server', () => {
  const forms: FormData[] = [];
  beforeEach(() => void (forms.length = 0));
  const hearing = (hear: (audio: Uint8Array) => unknown): Wire =>
    transcriptionServerWire(async (form) => {
      forms.push(form);
      return hear(new Uint8Array(await (form.get('file') as File).arrayBuffer()));
    });

  test('asks for the time of every word, and gives words their marks', async () => {
    const { transcript, plan } = await transcribe('edge', {
      wire: hearing(() => verboseJson(TALK)),
      env: { EDGE_SPEECH_URL: `${double.origin}/v1/` },
      request: { keyterms: ['AuthKit'], model: 'large-v3' },
    });
    const [form] = forms;
    expect(form!.get('response_format')).toBe('verbose_json');
    expect(form!.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    expect(form!.get('model')).toBe('large-v3');
    expect(form!.get('prompt')).toBe('AuthKit');
    expect(form!.get('language')).toBe('en');
    expect((form!.get('file') as File).name).toBe('audio.mp3');
    expect(transcript.text).toBe('Welcome to off kit. Thank you.');
    expect(plan.engine).toMatchObject({ model: 'large-v3', engine: 'openai-compatible' });
  });

  test('a long recording goes in pieces, and comes back whole', async () => {
    const { transcript } = await transcribe('edge', {
      wire: hearing((audio) => verboseJson(heardIn(audio))),
      env: { EDGE_SPEECH_URL: double.origin },
      audio: LONG,
      request: { chunkBytes: 300_000 },
    });
    expect(forms.length).toBeGreaterThan(4);
    expectWholeTalk(transcript.words);
  });

  test('segments without words share out their time; text without any time is no answer', async () => {
    const env = { EDGE_SPEECH_URL: double.origin };
    const segments = [{ id: 0, start: 1, end: 3, text: ' Hello there.' }];
    const shared = await transcribe('edge', {
      env,
      wire: hearing(() => ({ text: 'Hello there.', segments })),
    });
    expect(shared.transcript.words).toEqual([
      { text: 'Hello', start: 1, end: 1.909 },
      { text: 'there.', start: 1.909, end: 3 },
    ]);
    const timeless = transcribe('edge', { env, wire: hearing(() => ({ text: 'Hello there.' })) });
    await expect(timeless).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  });
});

describe('which of them a server has', () => {
  test.each([
    [{}, ['edge']],
    [{ DEEPGRAM_API_KEY: 'k' }, ['edge', 'deepgram']],
    [{ DEEPGRAM_API_KEY: ' ', ASSEMBLYAI_API_KEY: 'k' }, ['edge', 'assemblyai']],
  ])('%j', (env, configured) => {
    expect(registry(env as Record<string, string>).configured).toEqual(configured);
  });
});
