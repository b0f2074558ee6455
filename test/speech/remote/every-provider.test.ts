/** The common behaviour of remote providers: cancelling, time limits, and counted computations. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { PieceContext, TranscriptionRequest } from '../../../server/speech/provider.ts';
import { deepgramLanguage } from '../../../server/speech/remote/deepgram-languages.ts';
import { readAssemblyAi } from '../../../server/speech/remote/payloads/assemblyai.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
} from '../../support/doubles/provider-keys.ts';
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
} from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech, source } from '../support.ts';

setDefaultTimeout(300000);

const { double } = await remoteSpeech();
const turbo = '@cf/openai/whisper-large-v3-turbo';

interface Case {
  name: string;
  env: Record<string, string>;
  wire: Wire;
  /** The calls for which the length of the recording counts, out of all calls. */
  limited: boolean[];
}

const CASES: [string, Case][] = [
  [
    'deepgram',
    {
      name: 'deepgram',
      env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: double.origin },
      wire: deepgramWire(deepgramAnswer(TALK)),
      limited: [true],
    },
  ],
  [
    'assemblyai',
    {
      name: 'assemblyai',
      env: { ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY, ASSEMBLYAI_BASE_URL: double.origin },
      wire: assemblyAiWire(assemblyAiAnswer(TALK), 0),
      limited: [true, false, false],
    },
  ],
  [
    'edge through Workers AI',
    {
      name: 'edge',
      env: {
        CLOUDFLARE_ACCOUNT_ID: 'acc',
        CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
        CLOUDFLARE_BASE_URL: double.origin,
      },
      wire: workersAiWire({ [turbo]: () => workersAiAnswer(TALK) }),
      limited: [true],
    },
  ],
  [
    'edge through an OpenAI-compatible server',
    {
      name: 'edge',
      env: { EDGE_SPEECH_URL: double.origin },
      wire: transcriptionServerWire(() => verboseJson(TALK)),
      limited: [true],
    },
  ],
];

const request: TranscriptionRequest = {
  language: 'en',
  keyterms: [],
  chunkBytes: 1_048_576,
  includeRawResponse: false,
};

function providerOf({ name, env }: Case, waiting = noWaiting()) {
  return registry({ ...env, PROVIDER_TIMEOUT: '60' }, waiting).provider(name)!;
}

/** A context with a signal to abort, which counts the computations. */
function counted(controller = new AbortController()) {
  const done: unknown[] = [];
  const context: PieceContext = {
    signal: controller.signal,
    progress: () => {},
    async compute(work) {
      const result = await work();
      done.push(result);
      return result;
    },
  };
  return { controller, done, context };
}

describe.each(CASES)('%s', (_, given) => {
  const provider = () => providerOf(given);

  test('calls no service if the run is cancelled before it plans', async () => {
    const { controller, context } = counted();
    const reason = new Error('cancelled');
    controller.abort(reason);
    double.behave(given.wire);
    await expect(provider().plan(source(chirp), request, context)).rejects.toBe(reason);
    expect(double.requests).toEqual([]);
  });

  test('ends with the reason if the run is cancelled while the service works', async () => {
    const { controller, context } = counted();
    double.behave(given.wire);
    const plan = await provider().plan(source(chirp), request, context);
    const reason = new Error('cancelled');
    double.behave(() => {
      setTimeout(() => controller.abort(reason));
      return { fault: 'hang' };
    });
    const made = provider().transcribe(source(chirp), plan.pieces[0]!, request, context);
    await expect(made).rejects.toBe(reason);
  });

  test('gives calls that carry the recording more time, by its length', async () => {
    const waiting = noWaiting();
    const { context } = counted();
    double.behave(given.wire);
    const own = providerOf(given, waiting);
    const { pieces, duration } = await own.plan(source(chirp), request, context);
    await own.transcribe(source(chirp), pieces[0]!, request, context);
    expect(waiting.limits).toEqual(
      given.limited.map((isLong) => (isLong ? 60_000 + duration * 250 : 60_000)),
    );
    expect(duration).toBeGreaterThan(1);
  });

  test('repeats a call that failed, after a pause of the timer', async () => {
    const waiting = noWaiting();
    const { context } = counted();
    double.behave(given.wire);
    const own = providerOf(given, waiting);
    const { pieces } = await own.plan(source(chirp), request, context);
    let calls = 0;
    double.behave((seen) =>
      (calls += 1) === 1 ? new Response(null, { status: 503 }) : given.wire(seen),
    );
    const heard = await own.transcribe(source(chirp), pieces[0]!, request, context);
    expect(heard.words.map(({ text }) => text)).toEqual(TALK.map(({ text }) => text));
    expect(waiting.pauses).toHaveLength(1);
  });

  test('reads the recording and the response as computations of the run', async () => {
    const { context, done } = counted();
    double.behave(given.wire);
    const plan = await provider().plan(source(chirp), request, context);
    expect(done).toMatchObject([{ duration: plan.duration }]);
    const heard = await provider().transcribe(source(chirp), plan.pieces[0]!, request, context);
    expect(done[1]).toBe(heard);
    expect(done).toHaveLength(2);
  });
});

describe('refusals', async () => {
  const { double, transcribe } = await remoteSpeech();

  describe('assemblyai', () => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);

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
          : wire(request);
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
          : wire(request);
      const made = transcribe('assemblyai', { wire: refused });
      await expect(made).rejects.toMatchObject({ failure: { code } });
      expect(double.requests).toHaveLength(2);
    });

    test.each([
      ['en-US', 'en_us'],
      ['en-gb', 'en_uk'],
      ['en_UK', 'en_uk'],
      ['en-AU', 'en_au'],
      ['en-IN', 'en'],
      ['fil', 'tl'],
      ['iw', 'he'],
      ['jv-ID', 'jw'],
      ['nb-NO', 'no'],
      ['de-AT', 'de'],
    ])('the language %s is requested as %s', async (language, code) => {
      const ordered: Wire = async (request) => {
        const { pathname } = request.url;
        if (request.header('authorization') !== ASSEMBLYAI_KEY)
          return new Response('', { status: 401 });
        if (pathname === '/v2/upload')
          return Response.json({ upload_url: 'https://cdn.example/1' });
        const finished = { ...assemblyAiAnswer(TALK), id: 'tr/1', status: 'completed' };
        return Response.json(
          request.method === 'GET' ? finished : { id: 'tr/1', status: 'queued' },
        );
      };
      const env = { ASSEMBLYAI_BASE_URL: `${double.origin}/v2` };
      await transcribe('assemblyai', { wire: ordered, env, request: { language } });
      const [, order, look] = double.requests;
      expect(JSON.parse(String(order!.body))).toMatchObject({ language_code: code });
      // An id of the service is one segment of the address, whatever is in it.
      expect(look!.url.pathname).toBe('/v2/transcript/tr%2F1');
    });

    test('its address may contain /v2 elsewhere', async () => {
      const paths: string[] = [];
      await transcribe('assemblyai', {
        wire: (seen) => {
          paths.push(seen.url.pathname);
          const url = new URL(seen.url.pathname.replace('/v2/eu', ''), seen.url);
          return wire({ ...seen, url });
        },
        env: { ASSEMBLYAI_BASE_URL: `${double.origin}/v2/eu` },
      });
      expect(paths[0]).toBe('/v2/eu/v2/upload');
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
  });

  describe('deepgram', () => {
    test.each([
      [400, 'Bad Request: No such model/language/tier combination found.', 'language_unsupported'],
      [404, 'No such model', 'model_unavailable'],
      [
        400,
        'Bad Request: failed to process audio: corrupt or unsupported data',
        'audio_unreadable',
      ],
      [400, 'unsupported media type', 'audio_unreadable'],
      [400, 'Bad Request: something else', 'provider_bad_response'],
      [402, 'Project does not have enough credits', 'provider_unauthorized'],
      [415, 'unsupported media type', 'provider_bad_response'],
    ])('refused with %p, %j, it is %s, and is not sent again', async (status, err_msg, code) => {
      const made = transcribe('deepgram', { wire: () => Response.json({ err_msg }, { status }) });
      await expect(made).rejects.toMatchObject({ failure: { code } });
      expect(double.requests).toHaveLength(1);
    });

    test.each([
      ['nova-3-medical', 'keyterm', true],
      ['flux-general', 'keyterm', true],
      ['nova-2', 'keywords', true],
      ['whisper-large', null, false],
    ])('the model %s gets its key terms as %p', async (model, parameter, keytermsInjected) => {
      const waiting = noWaiting();
      const { plan } = await transcribe('deepgram', {
        wire: () => Response.json(deepgramAnswer(TALK)),
        env: { DEEPGRAM_BASE_URL: `${double.origin}/v1` },
        waiting,
        request: { model, keyterms: ['AuthKit', 'PKCE'] },
      });
      const { pathname, searchParams } = double.requests[0]!.url;
      expect(pathname).toBe('/v1/listen');
      for (const name of ['keyterm', 'keywords']) {
        expect(searchParams.getAll(name)).toEqual(name === parameter ? ['AuthKit', 'PKCE'] : []);
      }
      expect(plan).toMatchObject({ engine: { model, keytermsInjected } });
      // A quarter of the recording's length is added to the configured time-out.
      expect(waiting.limits).toEqual([30_000 + plan.duration * 250]);
    });

    test('its address may end in /v1, or contain it elsewhere', async () => {
      await transcribe('deepgram', {
        wire: () => Response.json(deepgramAnswer(TALK)),
        env: { DEEPGRAM_BASE_URL: `${double.origin}/v1/eu` },
      });
      expect(double.requests[0]!.url.pathname).toBe('/v1/eu/v1/listen');
    });

    test('earlier models get single words, Whisper gets no key terms', () => {
      const limit = registry({ DEEPGRAM_API_KEY: 'k' }).provider('deepgram')!.keytermLimit!;
      expect(limit('nova-2')).toMatchObject({ terms: 100, words: 1 });
      expect(limit('whisper-large')).toMatchObject({ terms: 0 });
      // Later ones have the parameter of nova-3.
      expect(limit('nova-4')).toEqual(limit('nova-3'));
    });
  });
});

describe('responses that no service should send', async () => {
  const { double, transcribe } = await remoteSpeech();
  const cloudflare = {
    CLOUDFLARE_ACCOUNT_ID: 'acc',
    CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
    CLOUDFLARE_BASE_URL: double.origin,
  };
  const openai = { EDGE_SPEECH_URL: double.origin };

  /** AssemblyAI, with another response to one of its calls. */
  const instead = (ends: string, answer: object): Wire => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
    return (seen) => (seen.url.pathname.endsWith(ends) ? Response.json(answer) : wire(seen));
  };
  const always =
    (answer: object): Wire =>
    () =>
      Response.json(answer);

  const strange = { surprise: 'something else' };
  const late = TALK.map((word) => ({ ...word, end: 400_000 }));

  describe.each<[string, string, Wire, object, object?]>([
    ['Deepgram', 'deepgram', always(strange), strange],
    ['Deepgram with impossible times', 'deepgram', always(deepgramAnswer(late)), {}],
    ['the upload of AssemblyAI', 'assemblyai', instead('/upload', strange), strange],
    ['the order of AssemblyAI', 'assemblyai', instead('/transcript', strange), strange],
    ['a poll of AssemblyAI', 'assemblyai', instead('/tr-1', strange), strange],
    [
      'a transcript of AssemblyAI without words',
      'assemblyai',
      instead('/tr-1', { id: 'tr-1', status: 'completed', text: 'one' }),
      { id: 'tr-1', status: 'completed', text: 'one' },
    ],
    ['a server of Whisper', 'edge', always(strange), strange, openai],
  ])('%s', (_, provider, wire, answer, env = {}) => {
    const made = (includeRawResponse: boolean) =>
      transcribe(provider, {
        wire,
        env: env as Record<string, string>,
        request: { includeRawResponse },
      });

    test('is a bad response, which is shown if raw responses are requested', async () => {
      await expect(made(true)).rejects.toMatchObject({
        failure: { code: 'provider_bad_response', provider, debug: { raw: answer } },
      });
    });

    test('is otherwise not shown', async () => {
      const error = (await made(false).catch((failure: unknown) => failure)) as {
        failure: { code: string; debug?: { raw?: unknown } };
      };
      expect(error.failure.code).toBe('provider_bad_response');
      expect(error.failure.debug?.raw).toBeUndefined();
    });
  });

  test('a transcript that AssemblyAI gave up without a reason shows the response', async () => {
    const failed = { id: 'tr-1', status: 'error', error: null };
    const made = transcribe('assemblyai', {
      wire: instead('/tr-1', failed),
      request: { includeRawResponse: true },
    });
    await expect(made).rejects.toMatchObject({
      failure: { code: 'provider_unavailable', debug: { raw: failed } },
    });
  });

  test('AssemblyAI: an error that is not a refusal does not drop the speakers', async () => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
    const text = 'not available in this language: speaker_labels';
    const made = transcribe('assemblyai', {
      wire: (seen) =>
        seen.url.pathname.endsWith('/transcript') && seen.method === 'POST'
          ? Response.json({ error: text }, { status: 500 })
          : wire(seen),
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
    for (const { body, method } of double.requests.slice(1)) {
      if (method === 'POST') expect(JSON.parse(body.toString()).speaker_labels).toBe(true);
    }
  });

  describe('edge', () => {
    test('sends the language in lower case, without region, and no prompt without key terms', async () => {
      const turbo = '@cf/openai/whisper-large-v3-turbo';
      const wire = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });
      await transcribe('edge', { wire, env: cloudflare, request: { language: 'PT-BR' } });
      const { audio: _, ...rest } = JSON.parse(double.requests[0]!.body.toString());
      expect(rest).toEqual({ task: 'transcribe', language: 'pt', vad_filter: true });
    });

    test('sends bytes as MP3 to models that take them', async () => {
      const wire = workersAiWire({ '@cf/openai/whisper': () => workersAiAnswer(TALK) });
      await transcribe('edge', { wire, env: cloudflare, request: { model: '@cf/openai/whisper' } });
      expect(double.requests[0]!.header('content-type')).toBe('audio/mpeg');
    });

    test("has Deepgram's words of a later piece at their place in the recording", async () => {
      const wire = workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK.slice(0, 1)) });
      const { plan, pieces } = await transcribe('edge', {
        wire,
        env: cloudflare,
        audio: Buffer.concat(Array.from({ length: 8 }, () => chirp)),
        request: { model: '@cf/deepgram/nova-3', chunkBytes: 65_536 },
      });
      expect(pieces.length).toBeGreaterThan(1);
      for (const [at, { words }] of pieces.entries()) {
        expect(words[0]?.start).toBeCloseTo(Math.max(0, plan.pieces[at]!.start + 0.4), 2);
      }
    });

    test.each([
      [openai, undefined, { tokens: 223, vocabulary: 'whisper', separator: 1 }],
      [cloudflare, undefined, { tokens: 223, vocabulary: 'whisper', separator: 1 }],
      [cloudflare, '@cf/deepgram/nova-3', { terms: 1, tokens: 450 }],
    ])('with %o and the model %s has the limits of the model', (env, model, limit) => {
      const found: unknown = registry(env).provider('edge')?.keytermLimit?.(model);
      expect(found).toEqual(limit);
    });

    test('reads text of which every word has a time, and nothing else', async () => {
      const wire = always({ ...verboseJson(TALK), segments: null });
      const { transcript } = await transcribe('edge', { wire, env: openai });
      expect(transcript.text).toBe('Welcome to off kit. Thank you.');
    });
  });
});

describe('requests to each service, so that nothing is paid for twice', async () => {
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
          return request.url.search === '?limit=200'
            ? Response.json({ transcripts })
            : wire(request);
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
});
