/** Refused resumable uploads, which leave nothing behind. */
import { describe, expect, test } from 'bun:test';
import { MAX_UPLOAD_BYTES } from '../../server/contract/limits.ts';
import { resumableBench } from '../support/servers/resumable.ts';

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
    ['two values of a key', { 'upload-metadata': `${named('a.mp3')} YQ==` }, 400, 'invalid_header'],
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
  ])('like PUT: %s', async (_name, headers, status, code) => {
    expect(await problem(await begin(newKey(), headers))).toEqual([status, code]);
  });

  test('but not an upload of exactly the size limit', async () => {
    const headers = { 'upload-length': String(MAX_UPLOAD_BYTES) };
    expect((await begin(newKey(), headers)).status).toBe(201);
  });

  test("no key, no scope, another workspace's upload", async () => {
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

  test('metadata of more than 4,096 characters, but not of as many', async () => {
    const metadata = (length: number) => `${named(newKey())},note `.padEnd(length, 'A');
    const statuses = [4096, 4097].map(
      async (length) => (await begin(newKey(), { 'upload-metadata': metadata(length) })).status,
    );
    expect(await Promise.all(statuses)).toEqual([201, 400]);
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
    const streamed = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body as ReadableStream;
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
