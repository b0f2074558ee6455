/** Requests to Deepgram and the handling of its responses, over real HTTP. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { fitKeyterms } from '../../../server/terminology/packs/keyterms.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { registry, remoteSpeech, spans } from '../support.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();

const wire = deepgramWire(deepgramAnswer(TALK));

test('sends the unchanged recording, with the options', async () => {
  await transcribe('deepgram', {
    wire,
    request: { keyterms: ['AuthKit', 'Model Context Protocol'] },
  });
  const [request] = double.requests;
  expect(request!.header('authorization')).toBe(`Token ${DEEPGRAM_KEY}`);
  expect(request!.header('content-type')).toBe('audio/mpeg');
  expect(new Uint8Array(request!.body)).toEqual(new Uint8Array(chirp));
  const { searchParams } = request!.url;
  for (const switchedOn of ['smart_format', 'punctuate', 'utterances', 'paragraphs']) {
    expect(searchParams.get(switchedOn)).toBe('true');
  }
  expect(searchParams.get('diarize_model')).toBe('latest');
  expect(searchParams.has('diarize')).toBe(false);
  expect(searchParams.get('model')).toBe('nova-3');
  expect(searchParams.get('language')).toBe('en');
  expect(searchParams.getAll('keyterm')).toEqual(['AuthKit', 'Model Context Protocol']);
});

const LANGUAGES =
  'fr-FR>fr fr-ca>fr-CA es-ES>es es-419>es-419 it-IT>it ja-JP>ja en-US>en-US en-ca>en ' +
  'pt_br>pt-BR nb-NO>no nn>no cmn>zh fil>tl iw>he yue>zh-HK zh-Hant-HK>zh-HK ' +
  'zh-hant>zh-Hant sr-Latn-RS>sr';
test.each(LANGUAGES.split(' ').map((pair) => pair.split('>') as [string, string]))(
  'the language %s is sent as %s, which nova-3 supports',
  async (language, sent) => {
    const { transcript } = await transcribe('deepgram', { wire, request: { language } });
    expect(double.requests[0]!.url.searchParams.get('language')).toBe(sent);
    expect(transcript.words).toHaveLength(TALK.length);
  },
);

test('of 80 key terms in Japanese, as many are sent as fit in 500 tokens', async () => {
  const limit = registry({ DEEPGRAM_API_KEY: 'k' }).provider('deepgram')!.keytermLimit!('nova-3');
  const names = Array.from({ length: 80 }, (_, at) => `認証基盤サービス${at}`);
  const { injected } = fitKeyterms(names, limit);
  expect(injected.length).toBeGreaterThan(15);
  await transcribe('deepgram', { wire, request: { language: 'ja', keyterms: injected } });
  const all = transcribe('deepgram', { wire, request: { language: 'ja', keyterms: names } });
  await expect(all).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
});

test('reads words, times, speakers, utterances, paragraphs and metadata', async () => {
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

test('a refusal that arrives before the recording is sent is read', async () => {
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
