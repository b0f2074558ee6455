/** Requests to each service by language and model, and the interpretation of refusals. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Wire } from '../../support/doubles/http-double.ts';
import { ASSEMBLYAI_KEY } from '../../support/doubles/provider-keys.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  TALK,
} from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech, source } from '../support.ts';

setDefaultTimeout(300_000);

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
    [400, 'Bad Request: failed to process audio: corrupt or unsupported data', 'audio_unreadable'],
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
