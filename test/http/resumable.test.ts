/** Resumable uploads. */
import fc from 'fast-check';
import { describe, expect, test } from 'bun:test';
import { ResumableUploadState } from '../../server/contract/audio.ts';
import { validator } from '../../server/contract/schema.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { id3, join } from '../mp3/support.ts';
import { resumableBench } from '../support/servers/resumable.ts';
import { inParts } from '../../server/http/uploads/resumable.ts';
import { incomplete } from '../../server/http/uploads/throttles.ts';
import { Problem } from '../../server/http/problems.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

// Resumable uploads in this process: the protocol, two uploads at once, and the data left after an
// upload.
{
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
        'tus-max-size': String(UPLOAD.maxBytes),
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
      expect(response.headers.get('upload-expires')).toBe(new Date(expires).toUTCString());

      const first = await send(url, 0, talk.subarray(0, 5000));
      expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5000']);
      const asked = await head(url);
      expect(asked.headers.get('upload-length')).toBe(String(talk.length));
      expect(asked.headers.get('upload-metadata')).toBe(named(key));
      expect(asked.headers.get('cache-control')).toBe('no-store');
      expect(await audio.stat(ann.organizationId, key)).toBeNull();

      await send(url, 5000, talk.subarray(5000, -1));
      expect(await (await app.ask(url, { key: ann.key })).json()).toMatchObject({
        complete: false,
      });
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

    test('DELETE deletes an upload with the bytes received', async () => {
      const before = await objects();
      const url = await begun();
      await send(url, 0, talk.subarray(0, 5000));
      expect(await objects()).toBe(before + 1);
      const deleted = await app.ask(url, { method: 'DELETE', key: ann.key, headers: TUS });
      expect([deleted.status, await objects(), (await head(url)).status]).toEqual([
        204,
        before,
        404,
      ]);
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
        database
          .updateTable('resumable_uploads')
          .set({ expires_at })
          .where('id', '=', id)
          .execute();
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
}

// Refused resumable uploads, which leave nothing behind.
{
  const {
    app,
    talk,
    ann,
    bob,
    TUS,
    named,
    newKey,
    begin,
    begun,
    send,
    head,
    offsetOf,
    problem,
    objects,
  } = await resumableBench();

  describe('refused', () => {
    test.each<[string, Record<string, string | null>, number, string]>([
      ['another version', { 'tus-resumable': '0.2.2' }, 412, 'tus_version'],
      ['no version', { 'tus-resumable': null }, 412, 'tus_version'],
      ['no length', { 'upload-length': null }, 400, 'invalid_header'],
      ['a negative length', { 'upload-length': '-1' }, 400, 'invalid_header'],
      ['a length to be told later', { 'upload-defer-length': '1' }, 400, 'invalid_header'],
      ['no key', { 'upload-metadata': 'filename dGFsaw==' }, 400, 'invalid_header'],
      ['a key that is not base64', { 'upload-metadata': 'key talk.mp3' }, 400, 'invalid_header'],
      ['a key in base64 cut short', { 'upload-metadata': 'key YS5tcDM' }, 400, 'invalid_header'],
      ['a key in base64url', { 'upload-metadata': 'key Pj4-Lm1wMw==' }, 400, 'invalid_header'],
      ['a key with too much padding', { 'upload-metadata': 'key a===' }, 400, 'invalid_header'],
      [
        'two values of a key',
        { 'upload-metadata': `${named('a.mp3')} YQ==` },
        400,
        'invalid_header',
      ],
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

    test("no key, no scope, another workspace's upload", async () => {
      const url = await begun();
      expect((await app.ask(url, { headers: TUS })).status).toBe(401);
      const runner = await app.signUp('run@example.org', ['captioner:caption:run']);
      expect((await head(url, runner)).status).toBe(403);
      expect(await problem(await app.ask(url, { key: bob.key }))).toEqual([
        404,
        'upload_not_found',
      ]);
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
        expect(await problem(refused)).toEqual([412, 'tus_version']);
      }
      expect(await offsetOf(url)).toBe('0');
    });

    test('a wrong offset, a wrong media type, an encoding, more bytes than announced', async () => {
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
      const streamed = (bytes: Uint8Array<ArrayBuffer>) =>
        new Response(bytes).body as ReadableStream;
      expect(await problem(await send(url, 0, streamed(long)))).toEqual([400, 'upload_too_long']);
      expect(await offsetOf(url)).toBe('0');
      expect((await send(url, 0, talk.subarray(0, 10))).status).toBe(204);
      const again = await send(url, 10, streamed(talk));
      expect(await problem(again)).toEqual([400, 'upload_too_long']);
      expect(await offsetOf(url)).toBe('10');
    });

    test('content that is not MP3, as soon as that is certain; the upload is deleted', async () => {
      const before = await objects();
      const url = await begun();
      const text = new TextEncoder().encode('this is no MP3 '.repeat(400));
      expect(await problem(await send(url, 0, text))).toEqual([415, 'mp3_required']);
      expect([(await head(url)).status, await objects()]).toEqual([404, before]);
      // The pieces are too small to be recognised; the file is refused when they are joined.
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
      expect(refused.headers.get('retry-after')).toBe('600');
      expect(await problem(refused)).toEqual([429, 'rate_limited']);
    });
  });
}

// Parts of a resumable upload while they are being stored, and when another process has the upload.
{
}

// Bodies in parts: nothing is lost at their boundaries, and a broken connection ends a part without
// damaging it.
{
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
    await expect(
      drain(body([new Uint8Array(3), new Uint8Array(3)], null), 5),
    ).rejects.toMatchObject({ code: 'upload_too_long' });
  });
}
