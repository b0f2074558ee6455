/** What is sent to AssemblyAI, and what is made of its answers, over real HTTP. */
import { afterEach, describe, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import type { Wire } from '../support/http-double.ts';
import { chirp } from '../support/pipeline-run.ts';
import { assemblyAiAnswer, assemblyAiWire, TALK } from '../support/speech-doubles.ts';
import { remoteSpeech, spans } from './support.ts';

setDefaultTimeout(60_000);

const { double, transcribe } = await remoteSpeech();

afterEach(() => void setSystemTime());

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
    const began = Date.now();
    setSystemTime(began);
    // 30 s, and a quarter of the recording's 4.4 s.
    const looks = [began, began + 30_500, began + 31_500];
    const slow = wire(1000);
    const made = transcribe('assemblyai', {
      wire: (request) => {
        if (request.method === 'GET') setSystemTime(looks[request.at - 2]);
        return slow(request);
      },
    });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_timeout' } });
    expect(double.requests).toHaveLength(2 + looks.length);
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
