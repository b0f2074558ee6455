/** Resumable uploads in this process: the protocol, its refusals, and what is left of an upload that ends. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ResumableUploadState } from '../../server/contract/resumable.ts';
import { MAX_UPLOAD_BYTES } from '../../server/contract/limits.ts';
import { validator } from '../../server/contract/schema.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';

const app = await mountedApp();
const { audio, database } = app.services;
const talk = new Uint8Array(await readFile(sample));
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@other.example');

const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };
const named = (key: string) => `filename dGFsaw==,key ${Buffer.from(key).toString('base64')}`;
let count = 0;
const newKey = () => `talks/${(count += 1)} ü.mp3`;

const begin = (key: string, headers: Record<string, string | null> = {}, by = ann) => {
  const all = {
    ...TUS,
    'upload-length': String(talk.length),
    'upload-metadata': named(key),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return app.ask('/resumable', { method: 'POST', key: by.key, headers: Object.fromEntries(sent) });
};
const begun = async (key = newKey()) => {
  const response = await begin(key);
  expect(response.status).toBe(201);
  return response.headers.get('location') ?? '';
};
const send = (url: string, at: number, body: BodyInit, more: object = {}, by = ann) =>
  app.ask(url, {
    method: 'PATCH',
    key: by.key,
    headers: { ...BYTES, 'upload-offset': String(at), ...more },
    body,
  });
const head = (url: string, by: MountedKey = ann) =>
  app.ask(url, { method: 'HEAD', key: by.key, headers: TUS });
const offsetOf = async (url: string) => (await head(url)).headers.get('upload-offset');
const problem = async (response: Response) => [
  response.status,
  (await response.json()).error.code as string,
];
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
async function storedBytes(key: string, by = ann): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of audio.read(by.organizationId, key)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const objects = async () =>
  (await readdir(join(app.dataDir, 'audio'), { recursive: true })).filter((name) =>
    name.endsWith('.mp3'),
  ).length;
/** A body that breaks off after some bytes. */
const broken = (bytes: Uint8Array): ReadableStream => {
  let isSent = false;
  return new ReadableStream(
    {
      pull(controller) {
        if (isSent) return controller.error(new Error('reset'));
        isSent = true;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
};

describe('the protocol', () => {
  test('OPTIONS says what is supported, to pages of other sites too', async () => {
    const response = await app.ask('/resumable', { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination',
      'tus-max-size': String(MAX_UPLOAD_BYTES),
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('Upload-Offset'),
    });
    const exposed = (await head(await begun())).headers.get('access-control-expose-headers');
    for (const name of [
      'Upload-Offset',
      'Upload-Length',
      'Upload-Expires',
      'Tus-Resumable',
      'Location',
    ])
      expect(exposed).toContain(name);
  });

  test('an upload in pieces becomes the recording that PUT would have stored', async () => {
    const key = newKey();
    const before = await objects();
    const response = await begin(key);
    const url = response.headers.get('location') ?? '';
    expect([response.status, response.headers.get('upload-offset')]).toEqual([201, '0']);
    expect(url).toStartWith('http://localhost:3000/resumable/');
    const expires = Date.parse(response.headers.get('upload-expires') ?? '');
    expect(Math.abs(expires - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);

    const first = await send(url, 0, talk.subarray(0, 5000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5000']);
    const asked = await head(url);
    expect(asked.headers.get('upload-length')).toBe(String(talk.length));
    expect(asked.headers.get('upload-metadata')).toBe(named(key));
    expect(asked.headers.get('cache-control')).toBe('no-store');
    expect(await audio.stat(ann.organizationId, key)).toBeNull();

    const last = await send(url, 5000, talk.subarray(5000));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(talk.length)]);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
    // Only the recording is left of it, and it is counted once.
    expect(await objects()).toBe(before + 1);
    const state = await (await app.ask(url, { key: ann.key })).json();
    expect(validator(ResumableUploadState).faults(state)).toEqual([]);
    expect(state).toMatchObject({ key, complete: true, offset: talk.length });
  });

  test('the first bytes may come with the creation', async () => {
    const key = newKey();
    const response = await app.ask('/resumable', {
      method: 'POST',
      key: ann.key,
      headers: { ...BYTES, 'upload-length': String(talk.length), 'upload-metadata': named(key) },
      body: talk,
    });
    expect([response.status, response.headers.get('upload-offset')]).toEqual([
      201,
      String(talk.length),
    ]);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
  });

  test('what came before the connection broke is kept', async () => {
    const key = newKey();
    const url = await begun(key);
    const response = await send(url, 0, broken(talk.subarray(0, 7777)));
    expect(await problem(response)).toEqual([400, 'incomplete_upload']);
    expect(await offsetOf(url)).toBe('7777');
    expect((await send(url, 7777, talk.subarray(7777))).status).toBe(204);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
  });

  test('a proxy that knows no PATCH is got around', async () => {
    const url = await begun();
    const sent = await app.ask(url, {
      method: 'POST',
      key: ann.key,
      headers: { ...BYTES, 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
      body: talk.subarray(0, 10),
    });
    expect([sent.status, await offsetOf(url)]).toEqual([204, '10']);
    const other = await app.ask(url, { method: 'POST', key: ann.key, headers: TUS });
    expect(other.status).toBe(405);
  });

  test('DELETE gives an upload up, with what had arrived', async () => {
    const before = await objects();
    const url = await begun();
    await send(url, 0, talk.subarray(0, 5000));
    expect(await objects()).toBe(before + 1);
    const deleted = await app.ask(url, { method: 'DELETE', key: ann.key, headers: TUS });
    expect([deleted.status, await objects(), (await head(url)).status]).toEqual([204, before, 404]);
  });
});

describe('refused', () => {
  test.each<[string, Record<string, string | null>, number, string]>([
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'tus_version'],
    ['no version', { 'tus-resumable': null }, 412, 'tus_version'],
    ['no length', { 'upload-length': null }, 400, 'invalid_header'],
    ['a negative length', { 'upload-length': '-1' }, 400, 'invalid_header'],
    ['a length to be told later', { 'upload-defer-length': '1' }, 400, 'invalid_header'],
    ['no key', { 'upload-metadata': 'filename dGFsaw==' }, 400, 'invalid_header'],
    ['a key that is not base64', { 'upload-metadata': 'key talk.mp3' }, 400, 'invalid_header'],
    ['a key that is not UTF-8', { 'upload-metadata': 'key //8=' }, 400, 'invalid_header'],
    ['long metadata', { 'upload-metadata': `key ${'a'.repeat(5000)}` }, 400, 'invalid_header'],
    [
      'a key with a control character',
      { 'upload-metadata': named('a\u0001.mp3') },
      400,
      'invalid_key',
    ],
  ])('%s', async (_name, headers, status, code) => {
    const response = await begin(newKey(), headers);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    expect(await problem(response)).toEqual([status, code]);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['too large', { 'upload-length': String(MAX_UPLOAD_BYTES + 1) }, 413, 'upload_too_large'],
    ['empty', { 'upload-length': '0' }, 415, 'mp3_required'],
    ['a key that is no .mp3', { 'upload-metadata': named('talk.wav') }, 415, 'mp3_required'],
  ])('as PUT refuses it: %s', async (_name, headers, status, code) => {
    expect(await problem(await begin(newKey(), headers))).toEqual([status, code]);
  });

  test('no key, no scope, somebody else’s upload', async () => {
    const url = await begun();
    expect((await app.ask(url, { headers: TUS })).status).toBe(401);
    const runner = await app.signUp('run@example.org', ['captioner:caption:run']);
    expect((await head(url, runner)).status).toBe(403);
    expect(await problem(await app.ask(url, { key: bob.key }))).toEqual([404, 'upload_not_found']);
    expect((await send(url, 0, talk, {}, bob)).status).toBe(404);
    const deleted = await app.ask(url, { method: 'DELETE', key: bob.key, headers: TUS });
    expect(deleted.status).toBe(404);
    expect(await offsetOf(url)).toBe('0');
  });

  test('another offset, another media type, an encoding, more bytes than announced', async () => {
    const url = await begun();
    const ahead = await send(url, 5, talk.subarray(5));
    expect(ahead.headers.get('upload-offset')).toBe('0');
    expect(await problem(ahead)).toEqual([409, 'offset_mismatch']);
    expect(await problem(await send(url, 0, talk, { 'upload-offset': 'x' }))).toEqual([
      400,
      'invalid_header',
    ]);
    for (const more of [{ 'content-type': 'audio/mpeg' }, { 'content-encoding': 'gzip' }])
      expect(await problem(await send(url, 0, talk, more))).toEqual([
        415,
        'unsupported_media_type',
      ]);
    const long = new Uint8Array([...talk, 1]);
    const declared = { 'content-length': String(long.length) };
    expect(await problem(await send(url, 0, long, declared))).toEqual([400, 'upload_too_long']);
    const streamed = new Response(long).body as ReadableStream;
    expect(await problem(await send(url, 0, streamed))).toEqual([400, 'upload_too_long']);
    expect(await offsetOf(url)).toBe('0');
  });

  test('what is no MP3, as soon as that is certain, and the upload is gone', async () => {
    const before = await objects();
    const url = await begun();
    const text = new TextEncoder().encode('this is no MP3 '.repeat(400));
    expect(await problem(await send(url, 0, text))).toEqual([415, 'mp3_required']);
    expect([(await head(url)).status, await objects()]).toEqual([404, before]);
    // In pieces too small to tell, it shows when they are joined.
    const small = await begin(newKey(), { 'upload-length': '60' });
    const address = small.headers.get('location') ?? '';
    await send(address, 0, text.subarray(0, 10));
    expect(await problem(await send(address, 10, text.subarray(10, 60)))).toEqual([
      415,
      'mp3_required',
    ]);
    expect([(await head(address)).status, await objects()]).toEqual([404, before]);
  });

  test('more unfinished uploads than a workspace may have', async () => {
    const eve = await app.signUp('eve@eve.example');
    for (let at = 0; at < 50; at += 1) expect((await begin('a.mp3', {}, eve)).status).toBe(201);
    const refused = await begin('a.mp3', {}, eve);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await problem(refused)).toEqual([429, 'rate_limited']);
  });
});

describe('two at once', () => {
  test('one goes on, the other reads where', async () => {
    const key = newKey();
    const url = await begun(key);
    const both = await Promise.all([
      send(url, 0, talk.subarray(0, 6000)),
      send(url, 0, talk.subarray(0, 6000)),
    ]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204, 409,
    ]);
    expect(both.map(({ headers }) => headers.get('upload-offset'))).toEqual(['6000', '6000']);
    const ends = await Promise.all([
      send(url, 6000, talk.subarray(6000)),
      send(url, 6000, talk.subarray(6000)),
    ]);
    const statuses = ends.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses[0]).toBe(204);
    expect([409, 423]).toContain(statuses[1] ?? 0);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
  });
});

describe('an upload that is left', () => {
  test('expires: 410 for a day, then 404, and nothing is left of it', async () => {
    const before = await objects();
    const url = await begun();
    await send(url, 0, talk.subarray(0, 5000));
    const id = url.slice(url.lastIndexOf('/') + 1);
    const setExpiry = (expires_at: number) =>
      database.updateTable('resumable_uploads').set({ expires_at }).where('id', '=', id).execute();
    await setExpiry(Date.now() - 1);
    expect(await problem(await app.ask(url, { key: ann.key }))).toEqual([410, 'upload_expired']);
    expect((await send(url, 5000, talk.subarray(5000))).status).toBe(410);
    const uploads = createResumableUploads({ database, audio });
    await uploads.expire();
    expect([await objects(), (await head(url)).status]).toEqual([before, 410]);
    await setExpiry(Date.now() - 25 * 3_600_000);
    await uploads.expire();
    expect((await head(url)).status).toBe(404);
  });

  test('is no recording in an export, and goes with the workspace', async () => {
    const kim = await app.signUp('kim@kim.example');
    const before = await objects();
    const created = await begin('a.mp3', {}, kim);
    const url = created.headers.get('location') ?? '';
    await send(url, 0, talk.subarray(0, 5000), {}, kim);
    const archive = await app.ask('/workspace/export', { key: kim.key });
    const tar = Bun.gunzipSync(new Uint8Array(await archive.arrayBuffer()));
    expect(Buffer.from(tar).toString('latin1')).not.toContain('\u0001');
    const erased = await app.ask(`/workspace/data?confirm=${kim.organizationId}`, {
      method: 'DELETE',
      key: kim.key,
    });
    expect((await erased.json()).erased.recordings).toBe(0);
    expect([await objects(), (await head(url, kim)).status]).toEqual([before, 404]);
  });
});
