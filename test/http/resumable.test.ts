/** Resumable uploads. */
import fc from 'fast-check';
import { describe, expect, test } from 'bun:test';
import { ResumableUploadState } from '../../server/contract/audio.ts';
import { validator } from '../../server/contract/schema.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { id3, join } from '../mp3/support.ts';
import { told } from '../support/servers/client.ts';
import { resumableBench } from '../support/servers/resumable.ts';
import { inParts } from '../../server/http/uploads/divided-body.ts';
import { incomplete } from '../../server/http/bodies/incoming-body.ts';
import { Problem } from '../../server/http/problems.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

// Resumable uploads in this process: the protocol, two uploads at once, and the data left after an
// upload.
const bench = await resumableBench();
const { app, audio, talk, ann, bob, TUS, BYTES, named, newKey, begin, begun, send, head } = bench;
const { offsetOf, digest, storedBytes, objects, broken } = bench;
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
      'tus-max-size': String(UPLOAD.maxBytes),
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('Upload-Offset'),
    });
    const exposed = (await head(await begun())).headers.get('access-control-expose-headers');
    const names = 'Upload-Offset Upload-Length Upload-Expires Tus-Resumable Location';
    for (const name of names.split(' ')) expect(exposed).toContain(name);
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
    const described = { 'upload-length': String(talk.length), 'upload-metadata': named(key) };
    const headers = { ...BYTES, ...described };
    const sent = { method: 'POST', key: ann.key, headers, body: talk };
    const response = await app.ask('/resumable', sent);
    expect(response.status).toBe(201);
    expect(response.headers.get('upload-offset')).toBe(String(talk.length));
    expect(digest(await storedBytes(key))).toBe(digest(talk));
  });

  test('bytes received before the connection broke are kept', async () => {
    const key = newKey();
    const url = await begun(key);
    const response = await send(url, 0, broken(talk.subarray(0, 7777)));
    expect(await told(response)).toBe('400 incomplete_upload');
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
      const long = await begin(newKey(), { 'upload-length': String(4 * part) });
      const url = long.headers.get('location')!;
      const body = new Uint8Array(bytes);
      body.set(talk);
      expect((await send(url, 0, body)).status).toBe(204);
      return uploads.countParts(url.slice(url.lastIndexOf('/') + 1));
    };
    const counts = [await upload(part), await upload(part + 1), await upload(2 * part + 1)];
    expect(counts).toEqual([1, 2, 3]);
  });

  test('a POST may name its method in a header', async () => {
    const url = await begun();
    const post = (method: string, body?: BodyInit) =>
      app.ask(url, {
        method: 'POST',
        key: ann.key,
        headers: { ...BYTES, 'upload-offset': '0', 'x-http-method-override': method },
        ...(body && { body }),
      });
    expect((await post('PATCH', talk.subarray(0, 5000))).status).toBe(204);
    expect(await offsetOf(url)).toBe('5000');
    expect((await post('PUT')).status).toBe(405);
    expect((await post('delete')).status).toBe(204);
    expect((await head(url)).status).toBe(404);
  });

  test('DELETE deletes an upload with the bytes received', async () => {
    const before = await objects();
    const url = await begun();
    await send(url, 0, talk.subarray(0, 5000));
    expect(await objects()).toBe(before + 1);
    const deleted = await app.ask(url, { method: 'DELETE', key: ann.key, headers: TUS });
    expect([deleted.status, (await head(url)).status]).toEqual([204, 404]);
    expect(await objects()).toBe(before);
  });
});

describe('two clients of one upload', () => {
  const codes = (answers: Response[]) =>
    answers.map(({ status }) => status).toSorted((a, b) => a - b);

  test('one continues, the other reads the offset', async () => {
    const key = newKey();
    const url = await begun(key);
    const twice = (at: number, body: Uint8Array<ArrayBuffer>) =>
      Promise.all([send(url, at, body), send(url, at, body)]);
    const both = await twice(0, talk.subarray(0, 6000));
    expect(codes(both)).toEqual([204, 409]);
    expect(both.map(({ headers }) => headers.get('upload-offset'))).toEqual(['6000', '6000']);
    const [first, second] = codes(await twice(6000, talk.subarray(6000)));
    expect(first).toBe(204);
    expect([409, 423]).toContain(second!);
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
    expect(await told(app.ask(url, { key: ann.key }))).toBe('410 upload_expired');
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
    const path = `/workspace/data?confirm=${kim.organizationId}`;
    const erased = await app.ask(path, { method: 'DELETE', key: kim.key });
    expect((await erased.json()).erased.recordings).toBe(0);
    expect([await objects(), (await head(url, kim)).status]).toEqual([before, 404]);
  });
});

describe('refused', () => {
  const metadata = (text: string) => ({ 'upload-metadata': text });
  test.each<[string, Record<string, string | null>]>([
    ['412 tus_version', { 'tus-resumable': '0.2.2' }],
    ['412 tus_version', { 'tus-resumable': null }],
    ['400 invalid_header', { 'upload-length': null }],
    ['400 invalid_header', { 'upload-length': '-1' }],
    ['413 upload_too_large', { 'upload-length': String(UPLOAD.maxBytes + 1) }],
    ['415 mp3_required', { 'upload-length': '0' }],
    // The length would be told later.
    ['400 invalid_header', { 'upload-defer-length': '1' }],
    // No key; one that is not base64, cut short, in base64url, with too much padding, not UTF-8; two of them.
    ['400 invalid_header', metadata('filename dGFsaw==')],
    ['400 invalid_header', metadata('key talk.mp3')],
    ['400 invalid_header', metadata('key YS5tcDM')],
    ['400 invalid_header', metadata('key Pj4-Lm1wMw==')],
    ['400 invalid_header', metadata('key a===')],
    ['400 invalid_header', metadata('key //8=')],
    ['400 invalid_header', metadata(`${named('a.mp3')} YQ==`)],
    ['400 invalid_header', metadata(`key ${'a'.repeat(5000)}`)],
    ['400 invalid_key', metadata(named('a\u0001.mp3'))],
  ])('%s for %j', async (code, headers) => {
    const response = await begin(newKey(), headers);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    expect(await told(response)).toBe(code);
  });

  test("no key, no scope, another workspace's upload", async () => {
    const url = await begun();
    expect((await app.ask(url, { headers: TUS })).status).toBe(401);
    const runner = await app.signUp('run@example.org', ['captioner:caption:run']);
    expect((await head(url, runner)).status).toBe(403);
    expect(await told(app.ask(url, { key: bob.key }))).toBe('404 upload_not_found');
    expect((await send(url, 0, talk, {}, bob)).status).toBe(404);
    const deleted = await app.ask(url, { method: 'DELETE', key: bob.key, headers: TUS });
    expect(deleted.status).toBe(404);
    expect(await offsetOf(url)).toBe('0');
  });

  test('a deletion and bytes without the version, which change nothing, and a look with another', async () => {
    const url = await begun();
    for (const refused of [
      await app.ask(url, { method: 'DELETE', key: ann.key }),
      await send(url, 0, talk, { 'tus-resumable': '' }),
      await app.ask(url, { key: ann.key, headers: { 'tus-resumable': '0.2.2' } }),
    ]) {
      expect(await told(refused)).toBe('412 tus_version');
    }
    expect(await offsetOf(url)).toBe('0');
  });

  test('a wrong offset, a wrong media type, an encoding, more bytes than announced', async () => {
    const url = await begun();
    const ahead = await send(url, 5, talk.subarray(5));
    expect(ahead.headers.get('upload-offset')).toBe('0');
    expect(await told(ahead)).toBe('409 offset_mismatch');
    expect(await told(send(url, 0, talk, { 'upload-offset': 'x' }))).toBe('400 invalid_header');
    for (const more of [{ 'content-type': 'audio/mpeg' }, { 'content-encoding': 'gzip' }])
      expect(await told(send(url, 0, talk, more))).toBe('415 unsupported_media_type');
    const long = new Uint8Array([...talk, 1]);
    const declared = { 'content-length': String(long.length) };
    expect(await told(send(url, 0, long, declared))).toBe('400 upload_too_long');
    const streamed = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body as ReadableStream;
    expect(await told(send(url, 0, streamed(long)))).toBe('400 upload_too_long');
    expect(await offsetOf(url)).toBe('0');
    expect((await send(url, 0, talk.subarray(0, 10))).status).toBe(204);
    const again = await send(url, 10, streamed(talk));
    expect(await told(again)).toBe('400 upload_too_long');
    expect(await offsetOf(url)).toBe('10');
  });

  test('content that is not MP3, as soon as that is certain; the upload is deleted', async () => {
    const before = await objects();
    const url = await begun();
    const text = new TextEncoder().encode('this is no MP3 '.repeat(400));
    expect(await told(send(url, 0, text))).toBe('415 mp3_required');
    expect([(await head(url)).status, await objects()]).toEqual([404, before]);
    // The pieces are too small to be recognised; the file is refused when they are joined.
    const small = await begin(newKey(), { 'upload-length': '60' });
    const address = small.headers.get('location') ?? '';
    await send(address, 0, text.subarray(0, 10));
    expect(await told(send(address, 10, text.subarray(10, 60)))).toBe('415 mp3_required');
    expect([(await head(address)).status, await objects()]).toEqual([404, before]);
  });

  test('more unfinished uploads than a workspace may have', async () => {
    const eve = await app.signUp('eve@eve.example');
    for (let at = 0; at < 50; at += 1) expect((await begin('a.mp3', {}, eve)).status).toBe(201);
    const refused = await begin('a.mp3', {}, eve);
    expect(refused.headers.get('retry-after')).toBe('600');
    expect(await told(refused)).toBe('429 rate_limited');
  });
});

// Bodies in parts: nothing is lost at their boundaries, and a broken connection ends a part without
// damaging it.
async function* body(
  chunks: readonly Uint8Array[],
  failure: Problem | null,
): AsyncIterable<Uint8Array> {
  yield* chunks;
  if (failure) throw failure;
}

test('all parts but the last are full, and together they are the body', async () => {
  const chunk = fc.uint8Array({ maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 12 }),
      fc.integer({ min: 1, max: 16 }),
      fc.constantFrom(
        null,
        incomplete('The connection broke.'),
        new Problem(408, 'upload_too_slow', 'The upload was too slow.'),
      ),
      async (chunks, partBytes, failure) => {
        const whole = Buffer.concat(chunks);
        const parts = inParts(body(chunks, failure), { partBytes, room: whole.length });
        const found: Buffer[] = [];
        for (let part = await parts.next(); part; part = await parts.next()) {
          const pieces: Uint8Array[] = [];
          for await (const piece of part) pieces.push(piece);
          found.push(Buffer.concat(pieces));
        }
        expect(Buffer.concat(found).equals(whole)).toBe(true);
        const sizes = found.map(({ length }) => length);
        expect(sizes.slice(0, -1).every((size) => size === partBytes)).toBe(true);
        expect(sizes.every((size) => size > 0 && size <= partBytes)).toBe(true);
        expect(parts.failure()).toBe(failure);
      },
    ),
  );
});

test('an error other than a broken connection, or excess bytes, invalidates the part', async () => {
  async function* faulty(): AsyncIterable<Uint8Array> {
    yield new Uint8Array(3);
    throw new Error('disk');
  }
  const drain = async (source: AsyncIterable<Uint8Array>, room: number) => {
    const parts = inParts(source, { partBytes: 10, room });
    for (let part = await parts.next(); part; part = await parts.next())
      for await (const _ of part);
  };
  await expect(drain(faulty(), 5)).rejects.toThrow('disk');
  await expect(drain(body([new Uint8Array(3), new Uint8Array(3)], null), 5)).rejects.toMatchObject({
    code: 'upload_too_long',
  });
});
