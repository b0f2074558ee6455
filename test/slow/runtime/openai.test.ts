/** OpenAI's own clients, unchanged, newest and one a year old: formats, streams, errors and broken connections. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { OpenAI as OpenAILastYear } from 'openai-last-year';
import { validator } from '../../../server/contract/schema.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { everyCandidate, startChatDouble } from '../../support/doubles/chat-double.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { ended, signUp, until, type Any } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { sample } from '../../support/sample.ts';
import {
  OpenAiDiarizedTranscription,
  OpenAiError,
  OpenAiTranscription,
  OpenAiVerboseTranscription,
} from '../../../server/contract/openai.ts';

setDefaultTimeout(300_000);

const answering = deepgramWire(deepgramAnswer(TALK));
const deepgram = await startHttpDouble(answering);
/** The German talk, and what a language model makes of it. */
const GERMAN = [
  ...said('Willkommen bei der Konferenz.', 0.4),
  ...said('Vielen Dank für die Einladung.', 2.9),
];
const ENGLISH: Record<string, string> = {
  'Willkommen bei der Konferenz.': 'Welcome to the conference.',
  'Vielen Dank für die Einladung.': 'Thank you for the invitation.',
};
const chat = await startChatDouble((request) => {
  const { sentences } = request.asked as Any;
  if (!sentences) return everyCandidate()(request);
  const translations = sentences.map(({ id, text }: Any) => ({
    id,
    source: text,
    text: ENGLISH[text],
  }));
  return JSON.stringify({ translations });
});
afterAll(async () => {
  await deepgram.close();
  await chat.close();
});
const server = await testServer({
  env: {
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    EDGE_LLM_URL: chat.url,
  },
});
const ann = await signUp(server, 'ann@example.com');
const talk = await readFile(sample);
const options = { baseURL: `${server.url}/v1`, apiKey: ann.key, maxRetries: 0 };
const clients = [
  ['newest', new OpenAI(options)],
  ['last year’s', new OpenAILastYear(options) as unknown as OpenAI],
] as const;
const [[, newest]] = clients;
const model = 'deepgram';
const recording = () => toFile(talk, 'talk.mp3', { type: 'audio/mpeg' });
const TEXT = 'Welcome to off kit. Thank you.';

/** The words of a sentence, from an instant, in seconds. */
function said(text: string, from: number) {
  return text.split(' ').map((word, at) => ({
    text: word,
    start: from + at * 0.3,
    end: from + at * 0.3 + 0.25,
    confidence: 0.9,
  }));
}

const lastRun = async (): Promise<Any> =>
  (await (await ann.get('/workflows/captioner?limit=1')).json()).runs[0];

describe.each(clients)('the %s client', (_name, client) => {
  const create = async (more: object) =>
    client.audio.transcriptions.create({ file: await recording(), model, ...more } as never) as Any;

  test('gets every format', async () => {
    const json = await create({ include: ['logprobs'] });
    expect(validator(OpenAiTranscription).issues(json)).toEqual([]);
    expect([json.text, json.usage]).toEqual([TEXT, { type: 'duration', seconds: 4 }]);
    expect(json.logprobs[0]).toEqual({
      token: 'Welcome',
      logprob: -0.0202,
      bytes: [...Buffer.from('Welcome')],
    });
    expect(await create({ response_format: 'text' })).toBe(`${TEXT}\n`);
    const srt = await create({ response_format: 'srt', captions: { max_line_chars: 24 } });
    expect(srt).toContain('00:00:00,400 --> ');
    expect(await create({ response_format: 'vtt' })).toMatch(/^WEBVTT\n\n1\n00:00:00\.400 --> /);

    const verbose = await create({
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(validator(OpenAiVerboseTranscription).issues(verbose)).toEqual([]);
    expect([verbose.task, verbose.language, verbose.duration]).toEqual([
      'transcribe',
      'english',
      4,
    ]);
    expect(verbose.words[3]).toEqual({ word: 'kit.', start: 1.2, end: 1.5 });
    expect(verbose.segments.map(({ text }: Any) => text).join('')).toBe(` ${TEXT}`);
    expect(verbose.segments[1]).toMatchObject({ id: 1, seek: 0, start: 2.9, end: 3.5, tokens: [] });
    const words = await create({
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect([words.words.length, words.segments]).toEqual([6, undefined]);

    const diarized = await create({
      response_format: 'diarized_json',
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
    });
    expect(validator(OpenAiDiarizedTranscription).issues(diarized)).toEqual([]);
    expect(diarized.segments.map(({ speaker, text }: Any) => [speaker, text])).toEqual([
      ['A', ' Welcome to off kit.'],
      ['B', ' Thank you.'],
    ]);
  });

  test('gets a stream of events', async () => {
    const events: Any[] = [];
    const stream = await client.audio.transcriptions.create({
      file: await recording(),
      model,
      stream: true,
    });
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: TEXT });
    const deltas = events.slice(0, -1);
    expect(deltas.every(({ type }) => type === 'transcript.text.delta')).toBe(true);
  });

  test('gets a translation in every format, and a transcription of what is English', async () => {
    const translate = async (more: object): Promise<Any> => {
      const form: Any = { file: await recording(), model, ...more };
      return client.audio.translations.create(form);
    };
    const [first, second] = Object.values(ENGLISH);
    deepgram.behave(deepgramWire(deepgramAnswer(GERMAN)));
    const german = { language: 'de' };
    expect((await translate(german)).text).toBe(`${first} ${second}`);
    const text = await translate({ ...german, response_format: 'text' });
    expect(text).toBe(`${first} ${second}\n`);
    const srt = await translate({ ...german, response_format: 'srt' });
    expect(srt).toMatch(/^1\n00:00:00,400 --> [^\n]+\nWelcome to the conference\.\n/);
    const vtt = await translate({ ...german, response_format: 'vtt', profile: 'netflix' });
    // The times of frames.
    expect(vtt).toMatch(/^WEBVTT\n\n1\n00:00:00\.375 --> /);
    const verbose = await translate({ ...german, response_format: 'verbose_json' });
    expect(validator(OpenAiVerboseTranscription).issues(verbose)).toEqual([]);
    expect([verbose.task, verbose.language]).toEqual(['translate', 'english']);
    expect(verbose.segments.map((one: Any) => one.text).join('')).toBe(` ${first} ${second}`);
    expect(verbose.segments[1]).toMatchObject({ id: 1, start: 2.9 });
    deepgram.behave(null);
    expect((await translate({ language: 'en' })).text).toBe(TEXT);
    expect((await translate({})).text).toBe(TEXT);
  });

  test('gets models, and errors as its own classes', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toContain('whisper-1');
    expect(ids).toContain(model);
    expect(await client.models.retrieve('whisper-1')).toMatchObject({ object: 'model' });
    const refused = async (more: object) => create(more).catch((error: unknown) => error as Any);
    expect(await refused({ model: 'no-such' })).toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
    expect(await refused({ response_format: 'xml' })).toMatchObject({
      status: 400,
      param: 'response_format',
    });
    const bad = await refused({ file: await toFile(Buffer.from('no sound'), 'talk.wav') });
    expect([bad.status, bad.param, bad.message]).toEqual([
      400,
      'file',
      expect.stringContaining('ffmpeg -i'),
    ]);
    expect(bad.requestID).toEqual(expect.any(String));
    const stranger = client.withOptions({ apiKey: 'sk-none' });
    const unknown = await stranger.models.list().catch((error: unknown) => error as Any);
    expect([unknown.status, unknown.code]).toEqual([401, 'invalid_api_key']);
  });
});

test('the run is one like any other: prompt, topic and name are in it, the recording is deleted', async () => {
  const { data, response } = await newest.audio.transcriptions
    .create({
      file: await toFile(talk, 'keynote.mp3'),
      model,
      prompt: 'AuthKit, MCP Night',
      keywords: ['SCIM'],
      ...({ topic: 'identity' } as object),
    })
    .withResponse();
  expect(data.text).toContain('AuthKit');
  const runId = response.headers.get('captioner-run-id') ?? '';
  expect(response.headers.get('captioner-model')).toMatch(/^deepgram\//);
  const run = await ann.run(runId);
  expect(run.envelope.result.input).toMatchObject({
    glossary: ['SCIM', 'AuthKit', 'MCP Night'],
    topic: 'identity',
    source: { filename: 'keynote.mp3' },
  });
  const left = await readdir(join(server.dataDir, 'audio'), { recursive: true });
  expect(left.filter((name) => name.endsWith('.mp3'))).toEqual([]);
  const temporary = await readdir(join(server.dataDir, 'tmp'), { recursive: true });
  expect(temporary.filter((name) => name.includes('spool'))).toEqual([]);
});

test('a cut connection does not lose the run or its translation', async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  deepgram.behave(async (request) => {
    asked.resolve();
    await go.promise;
    return deepgramWire(deepgramAnswer(GERMAN))(request);
  });
  const cut = new AbortController();
  const answer = newest.audio.translations
    .create({ file: await recording(), model, language: 'de' } as never, { signal: cut.signal })
    .catch((error: unknown) => error as Error);
  await asked.promise;
  cut.abort();
  expect(await answer).toBeInstanceOf(OpenAI.APIUserAbortError);
  const { runId } = await lastRun();
  go.resolve();
  expect((await ended(ann, runId)).state).toBe('completed');
  const translated = await until(async () => {
    const path = `/workflows/captioner/${runId}/translations`;
    const { translations } = await (await ann.get(path)).json();
    return translations[0].finishedAt && translations[0];
  }, 60_000);
  expect([translated.state, translated.language]).toEqual(['completed', 'en']);
  deepgram.behave(null);
});

test('a failed run is an error, and a stream ends with it', async () => {
  deepgram.behave(() =>
    Response.json({ err_code: 'Bad Request', err_msg: 'corrupt' }, { status: 400 }),
  );
  const file = await recording();
  const failed = await newest.audio.transcriptions
    .create({ file, model })
    .catch((error: unknown) => error as Any);
  expect(failed.status).toBeGreaterThanOrEqual(400);
  expect(validator(OpenAiError).issues({ error: failed.error })).toEqual([]);
  expect(failed.headers.get('x-should-retry')).toBe('false');
  const stream = await newest.audio.transcriptions.create({ file, model, stream: true });
  const ends = (async () => {
    for await (const event of stream) expect(event.type).toBe('transcript.text.delta');
  })();
  const broken = await ends.catch((error: unknown) => error as Any);
  expect(broken.error?.message).toBe(failed.error.message);
  deepgram.behave(null);
});
