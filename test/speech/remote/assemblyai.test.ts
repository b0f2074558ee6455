/** Requests to AssemblyAI and the handling of its responses, over real HTTP. */
import { afterEach, beforeEach, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { assemblyAiAnswer, assemblyAiWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import { registry, remoteSpeech, spans } from '../support.ts';
import { source } from '../../mp3/support.ts';
import { ASSEMBLYAI_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();

afterEach(() => void setSystemTime());

const wire = (looks = 1) => assemblyAiWire(assemblyAiAnswer(TALK), looks);
let healthy: Wire;
beforeEach(() => void (healthy = wire(0)));

test('uploads, requests once, and polls until it is done', async () => {
  const { transcript } = await transcribe('assemblyai', {
    wire: wire(2),
    request: { keyterms: ['AuthKit'], language: 'en-GB', speakers: 2 },
  });
  expect(double.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'POST /v2/upload',
    'POST /v2/transcript',
    'GET /v2/transcript/tr-1',
    'GET /v2/transcript/tr-1',
    'GET /v2/transcript/tr-1',
  ]);
  expect(
    double.requests.every((request) => request.header('authorization') === ASSEMBLYAI_KEY),
  ).toBe(true);
  expect(double.requests.map((request) => request.header('content-type'))).toEqual([
    'application/octet-stream',
    'application/json',
    null,
    null,
    null,
  ]);
  expect(new Uint8Array(double.requests[0]!.body)).toEqual(new Uint8Array(chirp));
  expect(JSON.parse(double.requests[1]!.body.toString())).toEqual({
    audio_url: 'https://cdn.assemblyai.example/upload/1',
    speech_models: ['universal-3-5-pro', 'universal-2'],
    language_code: 'en_uk',
    punctuate: true,
    format_text: true,
    speaker_labels: true,
    speakers_expected: 2,
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

test.each(['universal-3-pro', 'nano', 'best', 'slam-1'])(
  'the retired model %s is model_unavailable',
  async (model) => {
    const made = transcribe('assemblyai', { wire: wire(0), request: { model } });
    await expect(made).rejects.toMatchObject({ failure: { code: 'model_unavailable', model } });
  },
);

test('a language without speaker labels is transcribed without them', async () => {
  const { transcript, plan } = await transcribe('assemblyai', {
    wire: assemblyAiWire(assemblyAiAnswer(TALK), { looks: 0, withoutSpeakers: ['haw'] }),
    request: { language: 'haw', keyterms: ['AuthKit'] },
  });
  expect(transcript.words).toHaveLength(TALK.length);
  const orders = double.requests.filter(({ url }) => url.pathname === '/v2/transcript');
  const [first, second] = orders.map(({ body }) => JSON.parse(body.toString()));
  expect(orders).toHaveLength(2);
  const { speaker_labels, ...rest } = first;
  expect(speaker_labels).toBe(true);
  expect(second).toEqual(rest);
  expect(plan.engine).toEqual({
    provider: 'assemblyai',
    model: 'universal-3-5-pro',
    keytermsInjected: true,
    speakerLabels: false,
  });
  // One upload serves both requests.
  expect(double.requests.filter(({ url }) => url.pathname === '/v2/upload')).toHaveLength(1);
});

test.each([
  [30_500, 3],
  // The next poll would be too late.
  [31_050, 2],
])(
  'a transcript that is never done times out: after %d ms, look %d is the last',
  async (second, times) => {
    const began = Date.now();
    setSystemTime(began);
    // 30 s, plus a quarter of the recording's 4.4 s.
    const looks = [began, began + second, began + 31_500];
    const slow = wire(1000);
    const made = transcribe('assemblyai', {
      wire: (request) => {
        if (request.method === 'GET') setSystemTime(looks[request.at - 2]);
        return slow(request);
      },
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_timeout' } });
    expect(double.requests).toHaveLength(2 + times);
  },
);

test('polls often at first, then less, and at the end every ten seconds', async () => {
  const waiting = noWaiting();
  await transcribe('assemblyai', { wire: wire(14), waiting });
  const { pauses } = waiting;
  expect(pauses[0]).toBe(250);
  for (const [at, pause] of pauses.entries()) {
    expect(pause).toBe(Math.min(10_000, 250 * 1.5 ** at));
  }
  expect(pauses.slice(-3)).toEqual([10_000, 10_000, 10_000]);
});

test('a failed poll is repeated, without another upload', async () => {
  const { transcript } = await transcribe('assemblyai', {
    wire: (request) => (request.at === 2 ? new Response(null, { status: 502 }) : healthy(request)),
  });
  expect(transcript.words).toHaveLength(TALK.length);
  expect(double.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});

test.each([
  ['whose response was lost is found again, and not paid twice', true, 1],
  ['that never arrived is repeated', false, 2],
])('a request %s', async (_title, arrived, times) => {
  const asked = await transcribe('assemblyai', {
    wire: async (request) => {
      if (request.at !== 1) return healthy(request);
      if (arrived) await healthy(request);
      return { fault: 'drop' };
    },
  });
  expect(asked.transcript.words).toHaveLength(TALK.length);
  const paths = double.requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`);
  expect(paths.filter((path) => path === 'POST /v2/transcript')).toHaveLength(times);
  expect(paths[2]).toBe('GET /v2/transcript?limit=200');
});

test.each([
  ['Transcoding failed', 'audio_unreadable'],
  ['Audio duration is too short', 'audio_unreadable'],
  ['Could not decode the file', 'audio_unreadable'],
  ['File type is text/html', 'audio_unreadable'],
  ['language_detection: no spoken words', 'language_unsupported'],
  ['', 'provider_unavailable'],
])('a transcript that ends with %j is %s, and is not requested again', async (error, code) => {
  const ended: Wire = (request) =>
    request.method === 'GET'
      ? Response.json({ id: 'tr-1', status: 'error', error })
      : healthy(request);
  const made = transcribe('assemblyai', { wire: ended });
  await expect(made).rejects.toMatchObject({ failure: { code }, isFinal: true });
  expect(double.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
});

test.each([
  [400, 'speech_model "x" is not available', 'model_unavailable'],
  [400, 'the language xx is not supported', 'language_unsupported'],
  [400, 'the request is not valid', 'provider_bad_response'],
  [422, 'the language xx is not supported', 'provider_bad_response'],
])('refused with %p, %j, it is %s after one request', async (status, error, code) => {
  const refused: Wire = (request) =>
    request.url.pathname.endsWith('/transcript')
      ? Response.json({ error }, { status })
      : healthy(request);
  const made = transcribe('assemblyai', { wire: refused });
  await expect(made).rejects.toMatchObject({ failure: { code } });
  expect(double.requests).toHaveLength(2);
});

test.each(
  'en-US>en_us en-gb>en_uk en_UK>en_uk en-AU>en_au en-IN>en fil>tl iw>he jv-ID>jw nb-NO>no de-AT>de'
    .split(' ')
    .map((pair) => pair.split('>') as [string, string]),
)('the language %s is requested as %s', async (language, code) => {
  const ordered: Wire = async (request) => {
    const { pathname } = request.url;
    if (request.header('authorization') !== ASSEMBLYAI_KEY)
      return new Response('', { status: 401 });
    if (pathname === '/v2/upload') return Response.json({ upload_url: 'https://cdn.example/1' });
    const finished = { ...assemblyAiAnswer(TALK), id: 'tr/1', status: 'completed' };
    return Response.json(request.method === 'GET' ? finished : { id: 'tr/1', status: 'queued' });
  };
  const env = { ASSEMBLYAI_BASE_URL: `${double.origin}/v2` };
  await transcribe('assemblyai', { wire: ordered, env, request: { language } });
  const [, order, look] = double.requests;
  expect(JSON.parse(String(order!.body))).toMatchObject({ language_code: code });
  // An id of the service is one segment of the address, whatever is in it.
  expect(look!.url.pathname).toBe('/v2/transcript/tr%2F1');
});

test('a cancelled run does not wait for its next poll', async () => {
  double.behave(() => Response.json({ id: 'tr-1', status: 'processing' }));
  const stop = new AbortController();
  const pause = async (_: number, signal?: AbortSignal) => {
    stop.abort(new Error('cancelled'));
    signal?.throwIfAborted();
    throw new Error('a pause that goes on');
  };
  const env = { ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY, ASSEMBLYAI_BASE_URL: double.origin };
  const provider = registry(env, { ...noWaiting(), pause }).provider('assemblyai')!;
  const piece = { index: 0, start: 0, end: 1, transcriptId: 'tr-1' };
  const request = { language: 'en', keyterms: [], chunkBytes: 1, includeRawResponse: false };
  const context = { signal: stop.signal, progress: () => {} };
  await expect(provider.transcribe(source(chirp), piece, request, context)).rejects.toThrow(
    'cancelled',
  );
});

test('a failing service is not called with fewer options, whatever it says', async () => {
  const error = 'The following models are not available in this language: speaker_labels';
  const made = transcribe('assemblyai', {
    wire: (request) =>
      request.method === 'POST' && request.url.pathname === '/v2/transcript'
        ? Response.json({ error }, { status: 500 })
        : healthy(request),
  });
  await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
  const orders = double.requests.filter(
    ({ method, url }) => method === 'POST' && url.pathname === '/v2/transcript',
  );
  expect(orders).toHaveLength(4);
  for (const { body } of orders) expect(String(body)).toContain('speaker_labels');
});

test("only the request for this upload counts as made, not somebody else's latest one", async () => {
  const transcripts = [
    { id: 'theirs', status: 'completed', audio_url: 'https://cdn.example/other' },
    { id: 'unknown', status: 'queued', audio_url: null },
    // This one is of our upload, but without an id it cannot be requested.
    { status: 'queued', audio_url: 'https://cdn.assemblyai.example/upload/1' },
  ];
  const { plan } = await transcribe('assemblyai', {
    wire: async (request) => {
      if (request.at === 1) return { fault: 'drop' };
      return request.url.search === '?limit=200'
        ? Response.json({ transcripts })
        : healthy(request);
    },
  });
  expect(plan.pieces[0]).toMatchObject({ transcriptId: 'tr-1' });
});
