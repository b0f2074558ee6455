/** The door for clients of whisper-asr-webservice: who comes in, what the query means, and the shape of answers. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { AsrTranscription } from '../../server/contract/openai.ts';
import { validator } from '../../server/contract/schema.ts';
import { openAiAnswer } from '../../server/http/openai/answers.ts';
import { mp3Beginning } from '../../server/http/openai/asr.ts';
import { completedResult } from '../../server/http/openapi/examples.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { WHOLE_PAYLOAD } from '../../server/storage/run-texts.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { until, type Any } from '../support/servers/client.ts';

setDefaultTimeout(60_000);

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.com');

/** Half a second of raw samples, as Bazarr sends them. */
const RAW = Buffer.alloc(16_000);
for (let at = 0; at < RAW.length; at += 2) RAW.writeInt16LE(Math.sin(at / 9) * 9000, at);

const form = (bytes: Uint8Array = RAW, field = 'audio_file'): FormData => {
  const made = new FormData();
  made.append(field, new Blob([new Uint8Array(bytes)]), 'Film (2026).mkv');
  return made;
};

/** The seconds of a stored recording; null if there is none. */
async function secondsOf(key: string): Promise<number | null> {
  const { audio } = app.services;
  if (!(await audio.stat(ann.organizationId, key))) return null;
  const parts: Uint8Array[] = [];
  for await (const part of audio.read(ann.organizationId, key)) parts.push(part.slice());
  return (await indexMp3(sourceOf(Buffer.concat(parts)))).duration;
}

const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.byteLength,
  async *read({ start = 0, end = bytes.byteLength } = {}) {
    yield bytes.subarray(start, end);
  },
});

const runsOf = async (organizationId: string) =>
  (await app.services.runs.list(organizationId, 1000, null)).map(({ id }) => id);

/** Sends a recording; returns the payload of the run that it starts and that nobody executes here, or the refusal. */
async function send(
  path: string,
  {
    key = ann.key,
    headers = {},
    body = form(),
  }: { key?: string | null; headers?: object; body?: FormData } = {},
): Promise<Any> {
  const gone = new AbortController();
  const known = (await runsOf(ann.organizationId)).length;
  const asked = app.ask(path, {
    method: 'POST',
    body,
    signal: gone.signal,
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
  });
  const started = until(async () => {
    const ids = await runsOf(ann.organizationId);
    return ids.length > known && ids[0]!;
  }, 20_000);
  started.catch(() => {});
  const first = await Promise.race([asked, started]);
  if (typeof first !== 'string') return { status: first.status, ...(await first.json()) };
  gone.abort();
  await asked;
  const query = app.services.database.selectFrom('runs').select(WHOLE_PAYLOAD);
  const { whole } = await query.where('id', '=', first).executeTakeFirstOrThrow();
  return { status: 0, payload: JSON.parse(whole) };
}

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

async function makeAddress(name = 'Bazarr'): Promise<Any> {
  const made = await app.ask('/workspace/addresses', { key: ann.key, json: { name } });
  return made.json();
}

describe('a key comes in', () => {
  test('as a bearer, as the password of Basic, and within an address that was made for it', async () => {
    const { id, url, endpoint } = await makeAddress();
    const { pathname, search } = new URL(url);
    const { username, password } = new URL(endpoint);
    const path = '/asr?encode=false';
    const ways: [string, object][] = [
      [path, { authorization: `Bearer ${ann.key}` }],
      [path, basic('x', ann.key)],
      [path, basic(username, password)],
      [`${pathname}${search}&encode=false`, {}],
    ];
    for (const [where, headers] of ways) {
      expect((await send(where, { key: null, headers })).status).toBe(0);
    }
    // The token is nowhere but with its owner, and opens nothing else.
    const rows = await app.services.database.selectFrom('key_addresses').selectAll().execute();
    expect(JSON.stringify([rows, app.log()])).not.toContain(password);
    for (const other of ['/workflows/captioner', '/workspace/addresses', '/v1/models']) {
      const headers = { authorization: `Bearer ${password}` };
      expect((await app.ask(other, { headers })).status).toBe(401);
    }
    const listed = await app.ask('/workspace/addresses', { key: ann.key });
    expect(await listed.text()).not.toContain(password);
    // Nobody else revokes it.
    const revoke = (key: string) =>
      app.ask(`/workspace/addresses/${id}`, { method: 'DELETE', key });
    expect((await revoke(bob.key)).status).toBe(404);
    expect((await revoke(ann.key)).status).toBe(204);
    expect((await send(`${pathname}${search}&encode=false`, { key: null })).status).toBe(401);
  });

  test('not as a key in the query, nor without one, and not after its key was revoked', async () => {
    const cat = await app.signUp('cat@example.com');
    const made = await app.ask('/workspace/addresses', { key: cat.key, json: {} });
    const { pathname, search } = new URL((await made.json()).url);
    for (const path of ['/asr', `/asr?key=${ann.key}`, '/asr?key=asr_x', '/detect-language']) {
      const refused = await send(path, { key: null });
      expect([refused.status, refused.error.type]).toEqual([401, 'invalid_request_error']);
    }
    await app.services.database
      .updateTable('api_keys')
      .set({ revoked_at: 1 })
      .where('organization_id', '=', cat.organizationId)
      .execute();
    expect((await send(`${pathname}${search}`, { key: null })).status).toBe(401);
    expect(JSON.stringify(app.log())).not.toContain(ann.key);
  });
});

describe('a request', () => {
  test('for raw sound becomes a run with what its query says', async () => {
    const { payload } = await send(
      '/asr?encode=false&task=transcribe&language=german&initial_prompt=Zeiss,%20Jena&output=srt&word_timestamps=true&vad_filter=true&unknown=1',
    );
    expect(payload).toMatchObject({
      language: 'de',
      glossary: ['Zeiss', 'Jena'],
      audio: { filename: 'Film (2026).mkv' },
    });
    expect(await secondsOf(payload.audio.key)).toBeCloseTo(0.5, 1);
  });

  test.each<[string, string, FormData?]>([
    ['/asr?output=docx', 'output'],
    ['/asr?task=sing', 'task'],
    ['/asr?encode=perhaps', 'encode'],
    ['/asr?language=no%20language', 'language'],
    ['/asr', 'file', form(Buffer.from('no sound '.repeat(500)))],
    ['/asr', 'file', form(chirp, 'file')],
    ['/asr', 'audio_file', new FormData()],
    ['/detect-language?encode=perhaps', 'encode'],
    ['/detect-language', 'file', form(Buffer.from('no sound '.repeat(500)))],
  ])('%s is refused for %s, and nothing is left', async (path, param, body = form(chirp)) => {
    const { status, error } = await send(path, { body });
    expect([status, error.param]).toEqual([400, param]);
    const left = await readdir(app.dataDir, { recursive: true });
    expect(left.filter((name) => name.includes('spool'))).toEqual([]);
  });

  test('for the language hears the beginning, and leaves nothing', async () => {
    const long = Buffer.alloc(32_000 * 40);
    const before = await runsOf(ann.organizationId);
    const asked = app.ask('/detect-language?encode=false', {
      method: 'POST',
      body: form(long),
      key: ann.key,
    });
    const run = await until(async () => {
      const [newest, ...older] = await app.services.runs.list(ann.organizationId, 1000, null);
      return older.length === before.length && newest!;
    }, 20_000);
    const { language, audio } = run.payload;
    expect([language, Math.round((await secondsOf(audio.key)) ?? 0)]).toEqual(['auto', 30]);
    await app.services.runs.cancel(run);
    expect((await asked).status).toBe(409);
    expect(await runsOf(ann.organizationId)).toEqual(before);
    expect(await secondsOf(audio.key)).toBeNull();
  });
});

describe('an answer', () => {
  const words = [
    { text: 'Yes.', start: 0, end: 1, confidence: 1 },
    { text: 'No', start: 31, end: 35.5 },
    { text: 'way!', start: 39, end: 40.0004 },
  ];
  const transcript = {
    text: 'Yes. No way!',
    words,
    utterances: [],
    metadata: { provider: 'edge', model: 'whisper-base', language: 'de-AT' },
  };
  const answerAs = (format: string, more: object = {}) =>
    openAiAnswer({
      result: JSON.stringify({ ...completedResult, transcript }),
      translation: null,
      answer: { task: 'transcribe', model: 'whisper-1', temperature: 0, format, ...more } as never,
      events: false,
    }).text;

  test('has a sentence in each line, row or segment', () => {
    expect(answerAs('lines')).toBe('Yes.\nNo way!\n');
    expect(answerAs('tsv')).toBe('start\tend\ttext\n0\t1000\tYes.\n31000\t40000\tNo way!\n');
    for (const withWords of [false, true]) {
      const json = JSON.parse(answerAs('segments', { words: withWords }));
      expect(validator(AsrTranscription).issues(json)).toEqual([]);
      expect([json.text, json.language, json.segments[1].text]).toEqual([
        'Yes. No way!',
        'de',
        ' No way!',
      ]);
      expect(json.segments[0].words).toEqual(
        withWords ? [{ word: ' Yes.', start: 0, end: 1, probability: 1 }] : undefined,
      );
    }
  });
});

test('the beginning of an MP3 is at most half a minute, wherever it is cut', async () => {
  const whole = Buffer.concat(Array.from({ length: 400 }, () => chirp));
  for (const bytes of [whole, whole.subarray(0, -7), chirp]) {
    const { duration } = await indexMp3(sourceOf(bytes));
    const begun = await indexMp3(sourceOf(await mp3Beginning(bytes)));
    expect(begun.duration).toBeLessThan(Math.min(duration, 30) + 0.2);
    expect(begun.duration).toBeGreaterThan(Math.min(duration, 30) - 0.2);
  }
});
