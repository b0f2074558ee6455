/** The door for clients of OpenAI's API: forms of every kind, valid and hostile, and what their fields mean. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { validator } from '../../server/contract/schema.ts';
import { mountedApp, type Mounted } from '../support/servers/mounted.ts';
import { until, type Any } from '../support/servers/client.ts';
import { wavFile } from '../../server/speech/host/pocketsphinx.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { countedSpool } from '../support/doubles/counted-spool.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { watchedBody } from '../support/watched-body.ts';
import { needsShared, shared } from '../support/requirements.ts';
import { UPLOAD } from '../../server/contract/limits.ts';
import { openAiAnswer } from '../../server/http/openai/answers.ts';
import { asOpenAiProblem } from '../../server/http/openai/errors.ts';
import { readConfig } from '../../server/config/config.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { modelNames } from '../../server/http/openai/models.ts';
import {
  blockedResult,
  completedResult,
  failedResult,
} from '../../server/http/openapi/examples.ts';
import { Problem } from '../../server/http/problems.ts';
import { OpenAiError } from '../../server/contract/openai.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { WHOLE_PAYLOAD } from '../../server/storage/run-texts.ts';

setDefaultTimeout(60_000);

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const translating = await mountedApp({ env: { EDGE_LLM_URL: 'http://127.0.0.1:9' } });
const uploader = await app.signUp('up@example.com', ['captioner:audio:upload']);
const PATH = '/v1/audio/transcriptions';

interface Sent {
  key?: string;
  type?: string;
  headers?: Record<string, string>;
}

/** Sends bytes as a form, and cuts the connection once a run waits to be executed, which nobody does here. */
async function send(
  body: BodyInit,
  { key = ann.key, type = 'multipart/form-data; boundary=b', headers = {} }: Sent = {},
): Promise<{ status: number; error: Any; payload: Any }> {
  const gone = new AbortController();
  const known = (await runs()).length;
  const asked = app.ask(PATH, {
    method: 'POST',
    body,
    signal: gone.signal,
    key,
    headers: { ...(type !== '' && { 'content-type': type }), ...headers },
  });
  const started = until(async () => {
    const [newest, ...older] = await runs();
    return older.length === known && newest;
  }, 20_000);
  started.catch(() => {});
  const response = await Promise.race([asked, started]);
  if (typeof response === 'string') {
    gone.abort();
    await asked;
    const query = app.services.database.selectFrom('runs').select(WHOLE_PAYLOAD);
    const { whole } = await query.where('id', '=', response).executeTakeFirstOrThrow();
    return { status: 0, error: null, payload: JSON.parse(whole) };
  }
  const { error } = await response.json();
  expect(validator(OpenAiError).issues({ error })).toEqual([]);
  return { status: response.status, error, payload: null };
}

/** The ids of all runs, newest first. */
const runs = async (): Promise<string[]> =>
  (await app.services.runs.list(ann.organizationId, 1000, null)).map(({ id }) => id);

const left = async (): Promise<string[]> =>
  (await readdir(app.dataDir, { recursive: true })).filter((name) => /spool|incoming\//.test(name));

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const filePart = (bytes: Uint8Array | string = chirp, name = 'filename="talk.mp3"') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; ${name}\r\n\r\n`),
    Buffer.from(bytes as Uint8Array),
    Buffer.from('\r\n'),
  ]);
const END = '--b--\r\n';
const MODEL = field('model', 'whisper-1');
const form = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat([...parts, END].map((part) => Buffer.from(part as Uint8Array)));

describe('a form', () => {
  const nested =
    '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n';
  const unnamed = field('', '1').repeat(5);
  test.each<[string, BodyInit, param?: string | null, type?: string]>([
    ['without a boundary', form(MODEL), null, 'multipart/form-data'],
    ['that is JSON', '{"model":"whisper-1"}', null, 'application/json'],
    ['without a type', 'x', null, ''],
    ['that is empty', ''],
    ['without its end', form(MODEL, filePart()).subarray(0, -20)],
    ['cut in the head of a part', Buffer.from('--b\r\nContent-Dispo')],
    ['without a file', form(MODEL), 'file'],
    ['without a model', form(filePart()), 'model'],
    ['with two files', form(MODEL, filePart(), filePart()), 'file'],
    ['with another file', form(MODEL, String(filePart()).replace('"file"', '"x"')), 'x'],
    ['with 10,000 parts', form(MODEL, field('a', '1').repeat(10_000), filePart())],
    ['with parts without a name', form(MODEL, unnamed, '--b\r\n\r\nx\r\n'), 'file'],
    ['with a huge head', form(`--b\r\n${'x: y\r\n'.repeat(20_000)}\r\n\r\n`, MODEL), 'file'],
    ['with a huge field', form(MODEL, field('topic', 'x'.repeat(200_000)), filePart()), 'topic'],
    ['inside another form', form(MODEL, nested), 'file'],
    ['with an empty file', form(MODEL, filePart('')), 'file'],
    ['with a text as its file', form(MODEL, filePart('no sound '.repeat(500))), 'file'],
  ])('%s is refused, and nothing is left', async (_name, body, param = null, type) => {
    const { status, error } = await send(body, { ...(type !== undefined && { type }) });
    expect([status, error.param, error.type]).toEqual([400, param, 'invalid_request_error']);
    expect(await left()).toEqual([]);
  });

  test('of two gigabytes is refused before it is read', async () => {
    const watched = watchedBody('--b');
    const { status } = await send(watched.body, { headers: { 'content-length': String(2 ** 31) } });
    expect([status, watched.reads()]).toEqual([413, 0]);
  });

  test('that grows beyond the limit is refused, and nothing is left', async () => {
    const part = new Uint8Array(2 ** 20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? filePart() : part);
        sent += part.length;
      },
    });
    expect((await send(body)).status).toBe(413);
    expect(sent).toBeLessThan(UPLOAD.maxBytes + 20 * 2 ** 20);
    expect(await left()).toEqual([]);
  });

  test('is not read before the key and both scopes are known', async () => {
    for (const [key, status, code] of [
      ['', 401, null],
      ['nonsense', 401, 'invalid_api_key'],
      [uploader.key, 403, 'insufficient_scope'],
    ] as const) {
      const watched = watchedBody('--b');
      const refused = await send(watched.body, { key });
      expect([refused.status, refused.error.code, watched.reads()]).toEqual([status, code, 0]);
    }
  });
});

/**
 * The forms of programs, as their code builds them: Open WebUI (backend/open_webui/routers/audio.py, with Python's
 * requests), n8n (nodes/vendors/OpenAi/actions/audio/transcribe.operation.ts, with form-data) and the integration
 * openai_stt of Home Assistant (custom_components/openai_stt/http_client.py, with httpx), read in November 2026.
 */
test('the requests of programs are understood', async () => {
  const wav = wavFile(new Float32Array(16_000), 16_000);
  const typed = (name: string, type: string, body: Uint8Array) =>
    filePart(body, `filename="${name}"\r\nContent-Type: ${type}`);
  const typedField = (name: string, type: string, value: string) =>
    field(name, value).replace('\r\n\r\n', `\r\nContent-Type: ${type}\r\n\r\n`);
  for (const [parts, payload] of [
    [
      [MODEL, field('language', 'de'), filePart(wav, 'filename="0b5c.wav"')],
      { language: 'de', audio: { filename: '0b5c.wav' } },
    ],
    [
      [MODEL, field('temperature', '0.5'), typed('voice.mp3', 'audio/mpeg', chirp)],
      { language: 'en', audio: { filename: 'voice.mp3' } },
    ],
    [
      [
        typed('whisper_audio.wav', 'audio/wav', wav),
        field('model', 'gpt-4o-mini-transcribe'),
        field('language', 'en'),
        field('prompt', ''),
        field('temperature', '0'),
        field('response_format', 'json'),
      ],
      { language: 'en', audio: { filename: 'whisper_audio.wav' } },
    ],
    [
      [
        typedField('model', 'application/octet-stream', 'Systran/faster-whisper-large-v3'),
        typedField('language', 'text/plain; charset=utf-8', 'fil'),
        filePart(wav, 'x="1"\r\nContent-Type: audio/wav'),
      ],
      { language: 'fil', transcription: { provider: 'edge' } },
    ],
  ] as const) {
    expect((await send(form(...parts))).payload).toMatchObject(payload);
  }
});

/** Sends a form whose response begins although its run goes on, and ends the run with a transcript. */
async function answered(parts: (string | Uint8Array)[], mounted: Mounted, text: string) {
  const { key, organizationId } = await mounted.signUp('ann@example.com');
  const { database } = mounted.services;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', body: form(...parts, filePart()), key, headers };
  const answer = await mounted.ask(PATH, init);
  const id = answer.headers.get('captioner-run-id') ?? '';
  expect([answer.status, id]).toEqual([200, expect.stringMatching(/^run_/)]);
  const { result } = await completedRun(database, organizationId, spoken('Good evening.'));
  await end(mounted, id, { ...result, transcript: { ...result.transcript, text } });
  return answer;
}

/** The id of the run that begins after so many others. */
const newestAfter = (known: number): Promise<string> =>
  until(async () => {
    const [newest, ...older] = await runs();
    return older.length === known && newest;
  });

/** Ends a run with a result. */
const end = ({ services }: Mounted, id: string, result: Any) =>
  services.database
    .updateTable('runs')
    .set({ result: JSON.stringify(result), state: result.status })
    .set({ finished_at: Date.now(), updated_at: Date.now() })
    .where('id', '=', id)
    .execute();

/** A result of which parts are in another language, and others were heard badly. */
const misheard = {
  ...completedResult,
  transcript: {
    ...completedResult.transcript,
    metadata: {
      ...completedResult.transcript.metadata,
      otherLanguages: [{ language: 'nb', start: 31, end: 60 }],
      hearing: { wrong: 0.31, atLeast: 0.2, atMost: 0.42, stretches: [] },
    },
  },
};

test.each([
  ['srt', '', completedResult, 200, /^1\n00:00/],
  ['json', '', failedResult, 400, /"code":"/],
  ['json', 'true', blockedResult, 200, /^event: error\ndata: .*content_filter/m],
])(
  'a run that ends soon is answered with its outcome: %s (%#)',
  async (format, stream, result, status, says) => {
    const known = (await runs()).length;
    const parts = [MODEL, field('response_format', format), field('stream', stream), filePart()];
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const asked = app.ask(PATH, { method: 'POST', body: form(...parts), key: ann.key, headers });
    const id = await newestAfter(known);
    await end(app, id, result);
    const answer = await asked;
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(says)]);
    expect(answer.headers.has('captioner-warning')).toBe(false);
  },
);

test.each(['json', 'text', 'srt', 'vtt', 'verbose_json', 'stream'])(
  'what was heard in another language or badly is told beside the answer: %s',
  async (format) => {
    const known = (await runs()).length;
    const shape = format === 'stream' ? field('stream', 'true') : field('response_format', format);
    const asked = app.ask(PATH, {
      method: 'POST',
      body: form(MODEL, shape, filePart()),
      key: ann.key,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    const id = await newestAfter(known);
    const store = createRunStore(app.services.database);
    await store.finish(id, 'completed', misheard, { stage: 'captioning', progress: 1 });
    const answer = await asked;
    const text = await answer.text();
    const warning =
      'About 31 % of the words are probably wrong (20 to 42 %). Norwegian Bokmal is spoken from 0:31 to 1:00, and was recognised as that.';
    if (format === 'stream') expect(text).toContain(`: Captioner-Warning: ${warning}\n\ndata: `);
    else expect(answer.headers.get('captioner-warning')).toBe(warning);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Captioner-Warning');
    expect(text.includes('31 %')).toBe(format === 'stream');
    const notes = [
      'About 31 % of the words are probably wrong (20 to 42 %).',
      'Norwegian Bokmål is spoken from 0:31 to 1:00, and was recognised as that.',
    ];
    const run = await app.ask(`/workflows/captioner/${id}`, { key: ann.key });
    expect(await run.json()).toMatchObject({ state: 'completed', hearingNotes: notes });
    const events = await app.ask(`/workflows/captioner/${id}/events`, { key: ann.key });
    const [last = ''] = (await events.text()).trim().split('\n\n').slice(-1);
    expect(JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? '')).toMatchObject({
      hearingNotes: notes,
    });
  },
);

test('a response that begins before the run ends is still in its format', async () => {
  const early = await mountedApp({ parts: { beginAfterMs: 0 } });
  const answerTo = async (format: string) =>
    (await answered([MODEL, field('response_format', format)], early, 'Good evening.')).text();
  expect(JSON.parse(await answerTo('verbose_json'))).toMatchObject({ task: 'transcribe' });
  expect(await answerTo('vtt')).toMatch(/^WEBVTT\n\n+1\n00:00/);
  expect(await answerTo('srt')).toMatch(/^\n*1\n00:00/);
});

test('nothing is held of a stream whose client goes away at its end', async () => {
  const { spool, held } = countedSpool();
  const kept = { ...spool, file: app.services.spool.file };
  const leaving = await mountedApp({ parts: { spool: kept } });
  // More than is sent before the client reads.
  const long = 'Good evening. '.repeat(20_000);
  const answer = await answered([MODEL, field('stream', 'true')], leaving, long);
  await until(async () => held() === 1);
  await answer.body!.cancel();
  await until(async () => held() === 0);
});

describe('the fields of a form', () => {
  const asked = async (...parts: string[]) => {
    const { payload, error } = await send(form(...parts, filePart()));
    return payload ?? error;
  };

  test.each<[string, string[], object]>([
    ['of a default call', [MODEL], { language: 'en', transcription: { provider: 'edge' } }],
    [
      'name a recogniser',
      [field('model', 'moonshine-base')],
      { transcription: { provider: 'edge', model: 'moonshine-base' } },
    ],
    ['name a language as a word', [MODEL, field('language', 'German')], { language: 'de' }],
    ['name one language of many', [MODEL, field('languages[]', 'fr')], { language: 'fr' }],
    [
      'list terms',
      [MODEL, field('prompt', 'ZyntriQix, Digique Plus'), field('keywords[]', 'SCIM')],
      { glossary: ['SCIM', 'ZyntriQix', 'Digique Plus'] },
    ],
    [
      'tell in a text what it is about',
      [MODEL, field('prompt', 'A talk by Ada Lovelace on OAuth. She explains why it is used.')],
      { glossary: ['OAuth', 'Ada Lovelace'] },
    ],
    [
      'are those of this service',
      [
        MODEL,
        field('topic', 'identity'),
        field('packs[]', 'identity-auth'),
        field('captions[max_line_chars]', '32'),
        field('captions[max_duration]', '5.5'),
      ],
      {
        topic: 'identity',
        terminology: { packs: ['identity-auth'] },
        captions: { maxLineChars: 32, maxDuration: 5.5 },
      },
    ],
    [
      'are those of other servers',
      [MODEL, field('vad_filter', 'true'), field('temperature', '0.2'), field('stream', 'false')],
      { language: 'en' },
    ],
  ])('%s', async (_name, parts, payload) => {
    expect(await asked(...parts)).toMatchObject(payload);
  });

  test.each<[string, string, string | null, string | null]>([
    ['response_format', 'xml', 'response_format', 'invalid_value'],
    ['timestamp_granularities[]', 'line', 'timestamp_granularities', 'invalid_value'],
    ['include[]', 'tokens', 'include', 'invalid_value'],
    ['temperature', '2', 'temperature', 'decimal_out_of_range'],
    ['temperature', 'warm', 'temperature', 'invalid_type'],
    ['language', 'a language', 'language', 'invalid_language_format'],
    ['chunking_strategy', 'none', 'chunking_strategy', 'invalid_value'],
    ['chunking_strategy', '{"type":"x"}', 'chunking_strategy', 'invalid_value'],
    ['known_speaker_names[]', 'Ada', 'known_speaker_names', 'unsupported_parameter'],
    ['captions[max_line_chars]', '9', 'captions[max_line_chars]', 'invalid_value'],
    ['captions[font]', 'x', 'captions[font]', 'unknown_parameter'],
    ['packs[]', 'x', 'packs', 'invalid_value'],
    ['profile', 'vhs', 'profile', 'invalid_value'],
    ['prompt', 'x'.repeat(40_000), 'prompt', 'string_above_max_length'],
  ])('%s: %s is refused', async (name, value, param, code) => {
    expect(await asked(MODEL, field(name, value))).toMatchObject({ param, code });
  });

  describe('known speakers, where the models for voices are installed', async () => {
    const modelsDir = await mkdtemp(join(tmpdir(), 'captioner-voices-'));
    afterAll(() => rm(modelsDir, { recursive: true }));
    for (const [name, file] of [
      ['speaker-segmentation', 'model.onnx'],
      ['speaker-embedding', '3dspeaker_x.onnx'],
    ] as const) {
      await mkdir(join(modelsDir, name));
      await writeFile(join(modelsDir, name, file), 'x');
    }
    const knowing = await mountedApp({ env: { MODELS_DIR: modelsDir } });
    const eve = await knowing.signUp('eve@example.com');
    const clip = (seconds: number) => {
      const wav = wavFile(
        new Float32Array(16_000 * seconds).map((_, at) => Math.sin(at / 9) / 2),
        16_000,
      );
      return `data:audio/wav;base64,${Buffer.from(wav).toString('base64')}`;
    };
    const refused = async (names: string[], clips: string[]) => {
      const parts = [
        ...names.map((name) => field('known_speaker_names[]', name)),
        ...clips.map((each) => field('known_speaker_references[]', each)),
      ];
      const response = await knowing.ask(PATH, {
        method: 'POST',
        key: eve.key,
        body: form(MODEL, ...parts, filePart(chirp)),
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      const { error } = await response.json();
      return [response.status, error.param];
    };

    test.each<[string, string[], string[], string]>([
      ['more names than clips', ['Ada', 'Ben'], [clip(3)], 'known_speaker_references'],
      ['clips without names', [], [clip(3)], 'known_speaker_references'],
      ['a clip of a second', ['Ada'], [clip(1)], 'known_speaker_references'],
      ['a clip of eleven seconds', ['Ada'], [clip(11)], 'known_speaker_references'],
      ['an address', ['Ada'], ['https://example.com/a.wav'], 'known_speaker_references'],
      ['no base64', ['Ada'], ['data:audio/wav;base64,é'], 'known_speaker_references'],
      ['a text', ['Ada'], ['data:text/plain;base64,QQ=='], 'known_speaker_references'],
      ['no sound', ['Ada'], ['data:audio/wav;base64,QQ=='], 'known_speaker_references'],
      ['a name twice', ['Ada', ' Ada'], [clip(3), clip(3)], 'known_speaker_names'],
      ['no name', [' '], [clip(3)], 'known_speaker_names'],
      ['five', ['a', 'b', 'c', 'd', 'e'], Array(4).fill(clip(2)), 'known_speaker_references'],
    ])('%s: 400', async (_name, names, clips, param) => {
      expect(await refused(names, clips)).toEqual([400, param]);
    });

    test('are kept for the run, as MP3', async () => {
      const gone = new AbortController();
      const { database } = knowing.services;
      const kept = () => database.selectFrom('known_speakers').select(['name', 'mp3']).execute();
      expect(await kept()).toEqual([]);
      const asked = knowing.ask(PATH, {
        method: 'POST',
        key: eve.key,
        signal: gone.signal,
        body: form(
          MODEL,
          field('known_speaker_names[]', 'Ada'),
          field('known_speaker_references[]', clip(3)),
          filePart(chirp),
        ),
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      const rows = await until(async () => {
        const found = await kept();
        return found.length > 0 && found;
      }, 20_000);
      expect(rows.map(({ name }) => name)).toEqual(['Ada']);
      expect(Buffer.from(rows[0]!.mp3, 'base64').length).toBeGreaterThan(1000);
      gone.abort();
      await asked;
    });
  });

  test('a file name of any kind is kept without its folders and line breaks', async () => {
    for (const [name, kept] of [
      ['filename="C:\\talks\\key note.mp3"', 'key note.mp3'],
      ['filename="a%0D%0Ab.mp3"', 'a%0D%0Ab.mp3'],
      ["filename*=UTF-8''%E5%AD%97.mp3", '字.mp3'],
      [`filename="${'n'.repeat(3000)}.mp3"`, 'n'.repeat(1024)],
    ] as const) {
      const { payload } = await send(form(MODEL, filePart(chirp, name)));
      expect(payload.audio.filename).toBe(kept);
    }
    // One with a bare line break is not a part of the form.
    const { error } = await send(form(MODEL, filePart(chirp, 'filename="a\nb.mp3"')));
    expect(error.param).toBe('file');
  });
});

test.each([
  // From a language that this host does not know, without a language model; without speakers.
  [app, [MODEL, field('language', 'sw')], 'unsupported_model', 'language'],
  [
    translating,
    [MODEL, field('response_format', 'diarized_json')],
    'invalid_value',
    'response_format',
  ],
] as const)('a translation that cannot be made is refused (%#)', async (by, parts, code, param) => {
  const { key } = await by.signUp('eve@example.com');
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const sent = { method: 'POST', body: form(...parts, filePart()), key, headers };
  const answer = await by.ask('/v1/audio/translations', sent);
  const { error } = await answer.json();
  expect([answer.status, error.code, error.param]).toEqual([400, code, param]);
});

test('the names that other servers have for Whisper mean the default, others are unknown', async () => {
  const config = readConfig({});
  const { choose } = await modelNames({ ...config, providers: providerSummaries(config) });
  const status = (name: string): number => {
    try {
      return choose(name).provider === 'edge' ? 200 : 0;
    } catch (error) {
      return (error as Problem).status;
    }
  };
  const known = [
    'whisper-large-v3',
    'openai/whisper-large-v3-turbo',
    'deepdml/faster-whisper-large-v3-turbo-ct2',
    'distil-whisper/distil-large-v3',
    'large-v2',
    'tiny.en',
  ];
  for (const name of known) expect([name, status(name)]).toEqual([name, 200]);
  for (const name of ['gpt-9', 'largest', 'a/b/whisper', `whisper-${'x'.repeat(300)}`])
    expect([name, status(name)]).toEqual([name, 404]);
});

test('a page of OpenAI’s client may ask', async () => {
  const answer = await app.ask(PATH, {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
  });
  const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase();
  for (const name of ['authorization', 'x-stainless-lang', 'x-stainless-retry-count', 'user-agent'])
    expect(allowed.split(', ')).toContain(name);
});

test('a translation without a language is tried as English, and says so', async () => {
  const known = (await runs()).length;
  const asked = app.ask('/v1/audio/translations', {
    method: 'POST',
    body: form(MODEL, filePart()),
    key: ann.key,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  const id = await newestAfter(known);
  await end(app, id, completedResult);
  const answer = await asked;
  expect([answer.status, answer.headers.get('captioner-warning')]).toEqual([
    200,
    expect.stringContaining('English was assumed'),
  ]);
});

test('other addresses have errors of the same form', async () => {
  for (const [path, method, status] of [
    ['/v1/models/none', 'GET', 404],
    ['/v1/chat/completions', 'POST', 404],
    ['/v1/models', 'DELETE', 405],
  ] as const) {
    const response = await app.ask(path, { method, key: ann.key });
    const { error } = await response.json();
    expect([path, response.status, error.type]).toEqual([path, status, 'invalid_request_error']);
    expect(validator(OpenAiError).issues({ error })).toEqual([]);
  }
});

describe('the answer', () => {
  const words = [
    { text: 'Yes.', start: 0, end: 1, confidence: 1, speaker: 'a' },
    { text: 'No', start: 31, end: 32, confidence: 0.25, speaker: 'b' },
    { text: 'way!', start: 32, end: 40, speaker: 'b' },
  ];
  const text = 'Yes. No way!';
  const metadata = { language: 'de', provider: 'edge', model: 'moonshine-base' };
  const utterances = [{ text, start: 0, end: 40, firstWord: 0, lastWord: 2 }];
  const heard = {
    ...completedResult,
    transcript: { text, metadata, words, utterances, paragraphs: [] },
  };
  const asked = {
    format: 'json',
    task: 'transcribe',
    model: 'whisper-1',
    temperature: 0.2,
  } as const;
  const none = { segments: false, words: false, logprobs: false };
  const answerTo = (more: object, rest: object = {}, result: object = heard) =>
    openAiAnswer({
      result: JSON.stringify(result),
      translation: null,
      answer: { ...asked, ...none, ...more },
      events: false,
      ...rest,
    });
  const json = (...given: Parameters<typeof answerTo>) => JSON.parse(answerTo(...given).text);
  const usage = { type: 'duration', seconds: 40 };

  test('is a text, or JSON with what the request asks for', () => {
    expect(answerTo({ format: 'text' })).toEqual({
      text: `${text}\n`,
      recogniser: 'edge/moonshine-base',
    });
    expect(answerTo({ format: 'srt' }).text).toBe('');
    expect(json({})).toEqual({ text, usage });
    expect(json({ model: 'gpt-transcribe', logprobs: true })).toEqual({
      text,
      languages: [{ code: 'de' }],
      // One word has no confidence.
      logprobs: [
        { token: 'Yes.', logprob: 0, bytes: [89, 101, 115, 46] },
        { token: ' No', logprob: -1.3863, bytes: [32, 78, 111] },
      ],
      usage,
    });
  });

  test('in full has sentences with their confidence, and words', () => {
    const full = json({ format: 'verbose_json', segments: true, words: true });
    expect(full).toMatchObject({
      task: 'transcribe',
      language: 'german',
      duration: 40,
      text,
      usage,
    });
    expect(full.segments).toMatchObject([
      { id: 0, seek: 0, start: 0, end: 1, text: ' Yes.', temperature: 0.2, avg_logprob: 0 },
      { id: 1, seek: 3000, start: 31, end: 40, text: ' No way!', avg_logprob: -1.3863 },
    ]);
    expect(full.words.at(-1)).toEqual({ word: 'way!', start: 32, end: 40 });
    const sentences = [{ start: 0, end: 2, text: '<i>Ja</i>, gut.' }];
    const translated = { translation: JSON.stringify({ sentences }) };
    const other = json({ format: 'verbose_json', segments: true, task: 'translate' }, translated);
    expect(other).toMatchObject({ language: 'english', text: 'Ja, gut.' });
    expect(other.segments).toMatchObject([{ text: ' Ja, gut.', avg_logprob: 0 }]);
  });

  needsShared('foreign/openai-audio.yaml')('is one that OpenAI’s own document allows', () => {
    const document = shared('foreign/openai-audio.yaml');
    const { schemas } = (load(readFileSync(document, 'utf8')) as Any).components;
    const refuses = (name: string, value: unknown): unknown =>
      validator(withoutReferences({ $ref: `#/components/schemas/${name}` }, schemas)).issues(value);
    const all = { segments: true, words: true, logprobs: true };
    for (const [name, value] of [
      ['CreateTranscriptionResponseJson', json(all)],
      ['CreateTranscriptionResponseVerboseJson', json({ format: 'verbose_json', ...all })],
      ['CreateTranscriptionResponseDiarizedJson', json({ format: 'diarized_json', ...all })],
      ['CreateTranslationResponseVerboseJson', json({ format: 'verbose_json', task: 'translate' })],
      ...['json', 'diarized_json'].flatMap((format) =>
        answerTo({ format, ...all }, { events: true })
          .text.trim()
          .split('\n\n')
          .map((event) => ['CreateTranscriptionResponseStreamEvent', JSON.parse(event.slice(6))]),
      ),
    ] as [string, unknown][])
      expect([name, refuses(name, value)]).toEqual([name, []]);
  });

  test('by speakers names them by letters, also after Z, and a stream ends with the same', () => {
    const spoken = json({ format: 'diarized_json' });
    expect(spoken.segments.map(({ speaker, id }: Any) => [id, speaker])).toEqual([
      ['seg_001', 'A'],
      ['seg_002', 'B'],
    ]);
    const many = Array.from({ length: 28 }, (_, at) => ({
      ...words[0]!,
      start: at,
      speaker: `s${at}`,
    }));
    const { segments } = json(
      { format: 'diarized_json' },
      {},
      { ...heard, transcript: { ...heard.transcript, words: many } },
    );
    expect(segments.slice(25).map(({ speaker }: Any) => speaker)).toEqual(['Z', 'AA', 'AB']);
    const known = json(
      { format: 'diarized_json', known: ['s1', 'Eve'] },
      {},
      { ...heard, transcript: { ...heard.transcript, words: many.slice(0, 3) } },
    );
    expect(known.segments.map(({ speaker }: Any) => speaker)).toEqual(['A', 's1', 'B']);
    const events = answerTo({ format: 'diarized_json' }, { events: true }).text.split('\n\n');
    expect(events.map((event) => JSON.parse(event.slice(6) || '{}').type)).toEqual([
      'transcript.text.segment',
      'transcript.text.segment',
      'transcript.text.done',
      undefined,
    ]);
  });

  test.each([
    [blockedResult, 400, 'content_filter', 'file', false],
    [failedWith('audio_too_long'), 400, 'invalid_value', 'file', false],
    [failedWith('provider_not_configured'), 400, 'provider_not_configured', 'model', false],
    [failedWith('provider_rate_limited', true), 429, 'provider_rate_limited', null, true],
    [failedWith('internal', true), 503, 'internal', null, true],
    [failedWith('internal'), 500, 'internal', null, false],
  ])('of a run without a transcript is an error (%#)', (result, status, code, param, isRetried) => {
    const problem = ((): Problem => {
      try {
        throw new Error(answerTo({}, {}, result).text);
      } catch (error) {
        return error as Problem;
      }
    })();
    expect([problem.status, problem.body()]).toMatchObject([status, { error: { code, param } }]);
    expect(problem.options.headers?.['x-should-retry']).toBe(isRetried ? undefined : 'false');
  });

  function failedWith(code: string, retryable = false) {
    return { ...failedResult, error: { ...failedResult.error, code, retryable } };
  }
});

test('a problem of the service takes the form and the names of OpenAI', () => {
  const as = (status: number, code: string) =>
    (asOpenAiProblem(new Problem(status, code, 'No.')).body() as Any).error;
  expect(as(429, 'rate_limited')).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
  expect(as(403, 'quota_exceeded')).toMatchObject({ type: 'insufficient_quota' });
  expect(as(503, 'storage_unavailable')).toMatchObject({ type: 'server_error' });
  expect(as(401, 'missing_credential').code).toBeNull();
});

/** A schema of a document of OpenAPI in which every reference is replaced by what it means, closed objects and all. */
function withoutReferences(schema: Any, schemas: Any): Any {
  if (Array.isArray(schema)) return schema.map((one) => withoutReferences(one, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string')
    return withoutReferences(schemas[schema.$ref.split('/').at(-1)], schemas);
  const { format: _, discriminator: _names, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, withoutReferences(value, schemas)]),
  );
}
