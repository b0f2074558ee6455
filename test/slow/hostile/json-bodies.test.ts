/** Hostile JSON in the bodies of every POST: too large, too deep, cut at each byte, in unknown encodings; and valid JSON with duplicate names, names of prototypes, and extreme numbers and texts. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { type Any, ended, signUp } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { type Answer, expectUnharmed } from './support/answers.ts';
import { poster, ROUTES } from './support/post-body.ts';
import { nested, STRANGE_NAMES } from './support/values.ts';

setDefaultTimeout(300000);

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000000' } });
const ann = await signUp(server, 'ann@example.com');

const { ask, refuse } = poster(server.url, ann.key);

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

describe('valid JSON that is hostile', () => {
  const START = '/workflows/captioner';

  /** Starts a run whose recording does not exist. */
  async function start(body: string): Promise<void> {
    const answer = await ask(START, body);
    expect(answer.status).toBe(202);
    expect((await ended(ann, JSON.parse(answer.text).runId)).state).toBe('failed');
  }

  const paths = ({ text }: Answer): string[] =>
    JSON.parse(text).error.details.map((fault: Any) => fault.path);

  describe('of duplicate names the last counts, as in JSON.parse', () => {
    test('the validated value is the one used', async () => {
      await start('{"audio":{"key":"a.wav"},"audio":{"key":"none.mp3"}}');
      expect(
        paths(await refuse(START, '{"audio":{"key":"none.mp3"},"audio":{"key":"a.wav"}}')),
      ).toEqual(['audio.key']);
      expect(paths(await refuse(START, '{"audio":{"key":"none.mp3","key":1}}'))).toEqual([
        'audio.key',
      ]);
      await start('{"audio":{"key":1,"\\u006bey":"none.mp3"}}');
    });
  });

  describe('names of prototypes', () => {
    const levels = ['', 'audio', 'transcription', 'terminology', 'storage', 'audit', 'captions'];

    test.each(levels.map((level) => [level]))('are unknown fields in "%s"', async (level) => {
      for (const name of STRANGE_NAMES) {
        const strange = `${JSON.stringify(name)}:{"prototype":{"polluted":1},"polluted":1,"key":"a.mp3"}`;
        const own = level === 'audio' ? '"key":"none.mp3",' : '';
        const body =
          level === ''
            ? `{"audio":{"key":"none.mp3"},${strange}}`
            : `{"audio":{"key":"none.mp3"},"${level}":{${own}${strange}}}`;
        expect((await refuse(START, body)).status).toBe(422);
      }
    });

    test('do not replace fields', async () => {
      expect(paths(await refuse(START, '{"__proto__":{"audio":{"key":"none.mp3"}}}'))).toContain(
        'audio',
      );
      expect(paths(await refuse(START, '{"audio":{"__proto__":{"key":"none.mp3"}}}'))).toContain(
        'audio.key',
      );
      const auth = `{"__proto__":${ROUTES[0]?.[1]}}`;
      expect((await refuse('/agent/auth', auth)).text).toContain('unsupported_identity_type');
    });

    test('do not affect later requests', async () => {
      for (const [path] of ROUTES)
        await ask(path, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
      await start('{"audio":{"key":"none.mp3"}}');
      expect((await ask(START, '{"audio":{"key":"none.mp3"}}')).text).not.toContain('polluted');
    });
  });

  describe('numbers', () => {
    test.each([['1e999'], ['-1e999'], ['9'.repeat(400)], ['9007199254740993'], ['1e21']])(
      '%s is out of range',
      async (number) => {
        for (const field of [
          '"captions":{"maxLines"',
          '"audit":{"minConfidence"',
          '"transcription":{"chunkBytes"',
        ]) {
          expect(
            (await refuse(START, `{"audio":{"key":"none.mp3"},${field}:${number}}}`)).status,
          ).toBe(422);
        }
      },
    );

    test('0.1e-999999, -0 and 1.0 are accepted as numbers', async () => {
      await start('{"audio":{"key":"none.mp3"},"audit":{"minConfidence":0.1e-999999}}');
      await start('{"audio":{"key":"none.mp3"},"audit":{"minConfidence":-0}}');
      await start('{"audio":{"key":"none.mp3"},"captions":{"maxLines":1.0}}');
    });
  });

  describe('text', () => {
    test.each([
      ['a lone surrogate', '\\ud800'],
      ['NUL', '\\u0000'],
      [
        'every control',
        Array.from({ length: 32 }, (_, at) => `\\u${at.toString(16).padStart(4, '0')}`).join(''),
      ],
      ['right to left', '\u202e\u2066\u200f'],
    ])('%s is stored and returned as JSON', async (_name, text) => {
      const body = `{"audio":{"key":"no${text}ne.mp3","filename":"${text}"},"topic":"${text}","glossary":["${text}"],"language":"${text}"}`;
      const answer = await ask(`${START}?wait=result`, body);
      expect(answer.status).toBe(200);
      const { result } = JSON.parse(answer.text);
      expect([result.status, result.input.topic]).toEqual(['failed', expect.any(String)]);
    });

    test('a byte order mark is accepted once', async () => {
      await start('\uFEFF{"audio":{"key":"none.mp3"}}');
      await refuse(START, '\uFEFF\uFEFF{"audio":{"key":"none.mp3"}}');
    });
  });

  test('a payload at its limits starts a run, which ends', async () => {
    const long = Array.from({ length: 1000 }, (_, at) => `${'a!'.repeat(90)}b ${at}`);
    const keyterms = Array.from({ length: 1000 }, (_, at) => `${'ab '.repeat(19)}${at}`);
    const include = Array.from({ length: 1000 }, (_, at) => `zeitgeister${at}`);
    const payload = {
      audio: { key: 'none.mp3', filename: 'f'.repeat(1024) },
      topic: 'ab '.repeat(600),
      glossary: long,
      transcription: { keyterms },
      terminology: { include, exclude: long },
    };
    await start(JSON.stringify(payload));
  });
});

test('the service is unharmed', () => expectUnharmed(server));
