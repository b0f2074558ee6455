/** The common behaviour of remote providers: cancelling, time limits, and counted computations. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { PieceContext, TranscriptionRequest } from '../../../server/speech/provider.ts';
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

  describe('edge', () => {
    test('sends the language in lower case, without region, and no prompt without key terms', async () => {
      const turbo = '@cf/openai/whisper-large-v3-turbo';
      const wire = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });
      await transcribe('edge', { wire, env: cloudflare, request: { language: 'PT-BR' } });
      const { audio: _, ...rest } = JSON.parse(double.requests[0]!.body.toString());
      expect(rest).toEqual({ task: 'transcribe', language: 'pt', vad_filter: true });
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
