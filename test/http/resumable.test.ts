/**
 * Resumable uploads in this process: the protocol, two uploads at once, and the data left after an
 * upload.
 */
import { describe, expect, test } from 'bun:test';
import { ResumableUploadState } from '../../server/contract/audio.ts';
import { MAX_UPLOAD_BYTES } from '../../server/contract/limits.ts';
import { validator } from '../../server/contract/schema.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { id3, join } from '../mp3/support.ts';
import { resumableBench } from '../support/servers/resumable.ts';

const {
  app,
  audio,
  talk,
  ann,
  TUS,
  BYTES,
  named,
  newKey,
  begin,
  begun,
  send,
  head,
  offsetOf,
  problem,
  digest,
  storedBytes,
  objects,
  broken,
} = await resumableBench();
const { database } = app.services;
const uploads = createResumableUploads({ database, audio });

describe('the protocol', () => {
  test('OPTIONS lists what is supported, also for pages of other origins', async () => {
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

  test('addresses that only begin like it do not speak it', async () => {
    const versionOf = async (path: string) =>
      (await app.ask(path, { key: ann.key })).headers.get('tus-resumable');
    expect(await versionOf('/resumable/none')).toBe('1.0.0');
    expect(await versionOf('/resumable')).toBe('1.0.0');
    expect(await versionOf('/resumables')).toBeNull();
  });

  test('metadata may have spaces after commas, and bytes the encoding identity', async () => {
    const key = newKey();
    const { headers } = await begin(key, { 'upload-metadata': named(key).replace(',', ', ') });
    const sent = await send(headers.get('location')!, 0, talk, { 'content-encoding': 'identity' });
    expect([sent.status, digest(await storedBytes(key))]).toEqual([204, digest(talk)]);
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
    expect(response.headers.get('upload-expires')).toBe(new Date(expires).toUTCString());

    const first = await send(url, 0, talk.subarray(0, 5000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5000']);
    const asked = await head(url);
    expect(asked.headers.get('upload-length')).toBe(String(talk.length));
    expect(asked.headers.get('upload-metadata')).toBe(named(key));
    expect(asked.headers.get('cache-control')).toBe('no-store');
    expect(await audio.stat(ann.organizationId, key)).toBeNull();

    await send(url, 5000, talk.subarray(5000, -1));
    expect(await (await app.ask(url, { key: ann.key })).json()).toMatchObject({ complete: false });
    const last = await send(url, talk.length - 1, talk.subarray(-1));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(talk.length)]);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
    // Only the recording is left, and it is counted once.
    expect(await objects()).toBe(before + 1);
    const state = await (await app.ask(url, { key: ann.key })).json();
    expect(validator(ResumableUploadState).issues(state)).toEqual([]);
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

  test('a body of another type than that of bytes is not one of the recording', async () => {
    const headers = { ...TUS, 'upload-length': '2', 'upload-metadata': named(newKey()) };
    const other = { ...headers, 'content-type': 'application/json' };
    const init = { method: 'POST', key: ann.key, headers: other, body: '{}' };
    const response = await app.ask('/resumable', init);
    expect([response.status, response.headers.get('upload-offset')]).toEqual([201, '0']);
  });

  test('bytes received before the connection broke are kept', async () => {
    const key = newKey();
    const url = await begun(key);
    const response = await send(url, 0, broken(talk.subarray(0, 7777)));
    expect(await problem(response)).toEqual([400, 'incomplete_upload']);
    expect(await offsetOf(url)).toBe('7777');
    expect((await send(url, 7777, talk.subarray(7777))).status).toBe(204);
    expect(digest(await storedBytes(key))).toBe(digest(talk));
  });

  test('only the beginning of the recording has to look like MP3, not that of each request', async () => {
    const key = newKey();
    const tagged = new Uint8Array(join(id3(20_000), talk));
    const begun = await begin(key, { 'upload-length': String(tagged.length) });
    const url = begun.headers.get('location')!;
    expect((await send(url, 0, tagged.subarray(0, 5000))).status).toBe(204);
    expect((await send(url, 5000, tagged.subarray(5000))).status).toBe(204);
    expect(digest(await storedBytes(key))).toBe(digest(tagged));
  });

  test('a long body is stored in parts of 4 MiB, the most that is lost if the process dies', async () => {
    const part = 4 * 2 ** 20;
    const upload = async (bytes: number) => {
      const url = (await begin(newKey(), { 'upload-length': String(4 * part) })).headers.get(
        'location',
      )!;
      const body = new Uint8Array(bytes);
      body.set(talk);
      expect((await send(url, 0, body)).status).toBe(204);
      return uploads.countParts(url.slice(url.lastIndexOf('/') + 1));
    };
    const counts = [await upload(part), await upload(part + 1), await upload(2 * part + 1)];
    expect(counts).toEqual([1, 2, 3]);
  });

  test('proxies without PATCH are supported', async () => {
    const url = await begun();
    const sent = await app.ask(url, {
      method: 'POST',
      key: ann.key,
      headers: { ...BYTES, 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
      body: talk.subarray(0, 10),
    });
    expect([sent.status, await offsetOf(url)]).toEqual([204, '10']);
    const headers = { ...TUS, 'x-http-method-override': 'delete' };
    const deleted = await app.ask(url, { method: 'POST', key: ann.key, headers });
    expect([deleted.status, (await head(url)).status]).toEqual([204, 404]);
    const other = await app.ask(url, { method: 'POST', key: ann.key, headers: TUS });
    expect([other.status, other.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, PATCH, DELETE, OPTIONS',
    ]);
  });

  test('DELETE deletes an upload with the bytes received', async () => {
    const before = await objects();
    const url = await begun();
    await send(url, 0, talk.subarray(0, 5000));
    expect(await objects()).toBe(before + 1);
    const deleted = await app.ask(url, { method: 'DELETE', key: ann.key, headers: TUS });
    expect([deleted.status, await objects(), (await head(url)).status]).toEqual([204, before, 404]);
  });
});

describe('two clients of one upload', () => {
  test('one continues, the other reads the offset', async () => {
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

describe('an abandoned upload', () => {
  test('expires: 410 for a day, then 404, and its data is deleted', async () => {
    const before = await objects();
    const url = await begun();
    await send(url, 0, talk.subarray(0, 5000));
    const id = url.slice(url.lastIndexOf('/') + 1);
    const setExpiry = (expires_at: number) =>
      database.updateTable('resumable_uploads').set({ expires_at }).where('id', '=', id).execute();
    await setExpiry(Date.now() - 1);
    expect(await problem(await app.ask(url, { key: ann.key }))).toEqual([410, 'upload_expired']);
    expect((await send(url, 5000, talk.subarray(5000))).status).toBe(410);
    await uploads.expire();
    expect([await objects(), (await head(url)).status]).toEqual([before, 410]);
    await setExpiry(Date.now() - 25 * 3_600_000);
    await uploads.expire();
    expect((await head(url)).status).toBe(404);
  });

  test('is not in an export, and is deleted with the workspace', async () => {
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
