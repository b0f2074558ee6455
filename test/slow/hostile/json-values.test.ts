/** Valid JSON that is hostile: duplicate names, names of prototypes, and extreme numbers and texts. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ended, signUp, type Any } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { expectUnharmed, type Answer } from './support/answers.ts';
import { poster, ROUTES } from './support/post-body.ts';
import { STRANGE_NAMES } from './support/values.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const ann = await signUp(server, 'ann@example.com');

const { ask, refuse } = poster(server.url, ann.key);

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

test('the service is unharmed', () => expectUnharmed(server));
