/** JSON bodies of every POST: too large, too deep, cut at each byte, in unknown encodings. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { signUp } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { expectUnharmed } from './support/answers.ts';
import { poster, ROUTES } from './support/post-body.ts';
import { nested } from './support/values.ts';

setDefaultTimeout(300_000);

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000000' } });
const ann = await signUp(server, 'ann@example.com');

const { refuse } = poster(server.url, ann.key);

const bytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

describe.each(ROUTES)('%s', (path, good) => {
  test('a body cut off at any byte', async () => {
    const whole = bytes(good);
    for (let length = 0; length < whole.byteLength; length += 1) {
      expect((await refuse(path, whole.slice(0, length))).status).toBe(400);
    }
  });

  test('10 MB', async () => {
    await refuse(path, `{"topic":"${'x'.repeat(10_000_000)}"}`);
    await refuse(path, `[${'0,'.repeat(5_000_000)}0]`);
  });

  test.each([
    ['[', ']', 100_000],
    ['{"audio":', '}', 100_000],
    ['[{"":', '}]', 10_000],
    ['{"audio":', '}', 5_000],
  ])('%s%s, a hundred thousand deep', async (open, close, depth) => {
    await refuse(path, nested(open, close, depth));
    await refuse(path, open.repeat(depth));
    await refuse(path, good.replace(/:"[^"]*"/, `:${nested(open, close, depth)}`));
  });

  test('bytes that are not UTF-8', async () => {
    for (const wrong of [
      [0xff],
      [0xc3],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
    ]) {
      await refuse(path, bytes(`{"topic":"`, wrong, `"}`));
    }
    for (const mark of [[0xff, 0xfe], [0xfe, 0xff], []]) {
      await refuse(path, bytes(mark, [...Buffer.from(good, 'utf16le')]));
    }
  });

  test('NUL', async () => {
    await refuse(path, bytes([0], good));
    await refuse(path, bytes(good, [0]));
    await refuse(path, bytes('{"a\0":1}'));
  });

  test('another media type', async () => {
    for (const type of [
      'text/plain',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      '*/*',
    ]) {
      expect((await refuse(path, good, { 'content-type': type })).status).toBe(
        path === '/agent/auth/claim' ? 400 : 415,
      );
    }
  });

  test('a content encoding is not decoded, so a bomb stays small', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    await refuse(path, new Uint8Array(gzipSync(good)), gzip);
    await refuse(path, new Uint8Array(gzipSync(Buffer.alloc(50_000_000, 0x20))), gzip);
  });
});

test('the service is unharmed', () => expectUnharmed(server));
