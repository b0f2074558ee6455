/**
 * Keys designed to leave the store, to collide with another key or to break a response, in the URL
 * of an upload and in a payload. An accepted key finds its recording again, and only for its owner.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Mp3RequiredError } from '../../../server/contract/audio.ts';
import { ErrorResponse } from '../../../server/contract/failure.ts';
import { validator } from '../../../server/contract/schema.ts';
import { signUp, type Any, type Client } from '../../support/servers/client.ts';
import { rounds } from '../../support/fuzz.ts';
import { dial, untilClosed } from '../../support/servers/dial.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { clip } from './support/mp3-parts.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';
import { audioObjectName } from '../../../server/storage/audio.ts';

setDefaultTimeout(300_000);

/** The data folder, inside a folder with another file that must not be overwritten. */
const parent = await temporaryFolder();
afterAll(() => removeFolder(parent));
const dataDir = join(parent, 'data');
await mkdir(dataDir);
const canaries = ['canary.mp3', 'etc/passwd.mp3', 'data/canary.mp3'];
for (const name of canaries) {
  await mkdir(dirname(join(parent, name)), { recursive: true });
  await writeFile(join(parent, name), 'untouched');
}

const { env } = await tinyModelEnvironment();
const server = await testServer({ dataDir, env });
const ann = await signUp(server, 'ann@example.com');
const bob = await signUp(server, 'bob@example.com');
const talk = new Uint8Array(clip(0.2));
const errors = validator(ErrorResponse);
const refusals = validator(Mp3RequiredError);

/** The files that the service creates, apart from its secrets. */
const OWN =
  /^data\/(tmp(\/.*)?|outbox(\/.*)?|[\w-]+\.sqlite[\w-]*|audio(\/incoming|\/objects(\/[0-9a-f]{32}(\/[0-9a-f]{64}\.mp3)?)?)?)$/;
/** All other files around it. */
const outside = async (): Promise<string[]> =>
  (await readdir(parent, { recursive: true })).filter((name) => !OWN.test(name)).sort();

const objects = async (): Promise<Set<string>> =>
  new Set(
    (await readdir(join(dataDir, 'audio'), { recursive: true })).filter((name) =>
      name.endsWith('.mp3'),
    ),
  );
const untouched = await outside();

/** Uploads to a path sent byte for byte, which a client would normalise. */
async function putRaw(path: string, of: Client = ann): Promise<{ status: number; body: Any }> {
  const connection = dial(server.url);
  connection.socket.write(
    Buffer.from(
      `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${of.key}\r\n` +
        `Content-Type: audio/mpeg\r\nContent-Length: ${talk.length}\r\nConnection: close\r\n\r\n`,
      'latin1',
    ),
  );
  connection.socket.write(talk);
  await untilClosed(connection, 90_000);
  const answer = connection.answer('utf8');
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0),
    body: text.startsWith('{') ? JSON.parse(text) : null,
  };
}

/** Validates a response against the contract; returns whether the upload was accepted. */
async function taken({ status, body }: { status: number; body: Any }): Promise<boolean> {
  if (status === 200) {
    expect(body).toMatchObject({ ok: true, size: talk.length });
    expect(await objects()).toContain(
      audioObjectName({ organizationId: ann.organizationId, key: body.key }),
    );
    return true;
  }
  // The runtime refuses invalid HTTP itself, without a body; 0: without a response.
  expect(body ? [400, 404, 405, 415] : [0, 400, 404, 414, 431, 505]).toContain(status);
  if (body) expect((status === 415 ? refusals : errors).issues(body)).toEqual([]);
  return false;
}

/** Paths sent exactly as they are. */
const PATHS = String.raw`
  ../canary.mp3 ../../canary.mp3 a/../../../canary.mp3 ..%2fcanary.mp3 ..%2F..%2f..%2Fcanary.mp3
  %2e%2e/%2e%2e/canary.mp3 %2e%2e%2f%2e%2e%2fcanary.mp3 .%2e/canary.mp3 %252e%252e%252fcanary.mp3
  ..%252fcanary.mp3 ..\canary.mp3 ..%5c..%5ccanary.mp3 ..%c0%afcanary.mp3 %c0%ae%c0%ae/canary.mp3
  %e0%80%ae%e0%80%ae/canary.mp3 %f8%80%80%80%ae.mp3 %ed%a0%80.mp3 a%00.mp3 a.mp3%00 a.mp3%00.txt
  a%0a.mp3 .mp3 %2emp3 a/./b.mp3 a/b/.mp3 a//b.mp3 /etc/passwd.mp3 %2fetc%2fpasswd.mp3
  file:///etc/passwd.mp3 C:%5cWindows%5ca.mp3 ~/a.mp3 a.mp3. a.mp3%20 a.mp3/ a.mp3/.. %20.mp3
  CON.mp3 nul.mp3 com1.txt.mp3 a:stream.mp3 % a%.mp3 a%2.mp3 a%zz.mp3 a%u002e.mp3 a;b.mp3 a?b.mp3
  a#b.mp3 a%3fb%23c.mp3 $(touch%20canary).mp3 *.mp3 %2a%2a%2f*.mp3 -rf.mp3 __proto__.mp3
  incoming/x.part%2emp3`
  .trim()
  .split(/\s+/);

const long = (length: number) => `${'k'.repeat(length)}.mp3`;

describe('paths as they are sent', () => {
  test.each([
    ...PATHS,
    'a\u0000.mp3',
    'a\u0080\u00ff.mp3',
    long(251),
    long(252),
    long(UPLOAD.maxKeyBytes - 4),
    long(UPLOAD.maxKeyBytes - 3),
    long(20_000),
    `${'a/'.repeat(510)}b.mp3`,
    `${'%2e%2e%2f'.repeat(100)}canary.mp3`,
  ])('%s', async (path) => {
    const before = await objects();
    const stored = await taken(await putRaw(`/audio/${path}`));
    if (!stored) expect(await objects()).toEqual(before);
    expect(await outside()).toEqual(untouched);
  });

  const addresses =
    '/audio /audio/ /audio?key=a.mp3 //audio/a.mp3 /audio/../audio/a.mp3 /AUDIO/a.mp3 audio/a.mp3 http://localhost/audio/../a.mp3';
  test.each(addresses.split(' '))('the address %s', async (path) => {
    await taken(await putRaw(path));
    expect(await outside()).toEqual(untouched);
  });
});

/** Characters and names that break programs. */
const UGLY = [
  ...'.. . / \\ %2e %2f % %00 : ~ ? # & + = " \' <b> ` $ | * CON .mp3 é e\u0301 \u00c5 \u212b ﬁ ß ı 👩‍👩‍👧 字'.split(
    ' ',
  ),
  ...' \u0000\u0007\n\u007f\u0085\u2028\u202e\u200b\u200d\ufeff',
  '__proto__',
];
const ugly = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...UGLY) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
);
const uglyKey = fc
  .array(ugly, { minLength: 1, maxLength: 8 })
  .map((parts) => `${parts.join('')}.mp3`);

/** Whether the documented rules accept a key. */
const isGood = (key: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u001f\u007f]/.test(key) &&
  Buffer.byteLength(key) <= UPLOAD.maxKeyBytes &&
  key.split('/').every((segment) => !['', '.', '..'].includes(segment));

describe('1,200 random keys', () => {
  test('accepted keys are returned as sent, and stored where they should be', async () => {
    await fc.assert(
      fc.asyncProperty(uglyKey, async (key) => {
        // Every byte is escaped, so that neither a client nor a server removes a dot.
        const escaped = [...Buffer.from(key)].map(
          (byte) => `%${byte.toString(16).padStart(2, '0')}`,
        );
        const answer = await putRaw(`/audio/${escaped.join('')}`);
        expect(await taken(answer)).toBe(isGood(key));
        if (answer.status === 200) expect(answer.body.key).toBe(key);
      }),
      { numRuns: rounds(150) },
    );
    expect(await outside()).toEqual(untouched);
  });

  test('invalid addresses lead nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(uglyKey, async (key) => {
        const line = Buffer.from(key)
          .toString('latin1')
          .replaceAll(/[\r\n ]/g, '');
        await taken(await putRaw(`/audio/${line}`));
      }),
      { numRuns: rounds(100) },
    );
    expect(await outside()).toEqual(untouched);
  });

  test('a payload may name any key; only existing ones are captioned', async () => {
    const traversal = [
      '../canary.mp3',
      '../../etc/passwd.mp3',
      '/etc/passwd.mp3',
      'a\u0000.mp3',
      '\ud800.mp3',
    ];
    const keys = [...traversal, ...fc.sample(uglyKey, 60)];
    for (const key of keys) {
      const response = await ann.start({ audio: { key: `none/${key}` } }, '?wait=result');
      expect(response.status).toBe(200);
      const { result } = await response.json();
      expect([result.status, result.error?.code]).toEqual(['failed', 'audio_not_found']);
    }
    expect(await outside()).toEqual(untouched);
  });
});

describe('each key is a separate object', () => {
  const twins = [
    ['é.mp3', 'e\u0301.mp3'],
    ['a.mp3', 'A.mp3'],
    ['a.mp3', 'a .mp3'],
    ['ß.mp3', 'ss.mp3'],
    ['a\u200b.mp3', 'a.mp3'],
    ['a%2fb.mp3', 'a/b.mp3'],
    ['a\\b.mp3', 'a/b.mp3'],
    ['photo\u202egpj.mp3', 'photogpj.mp3'],
    ['👩‍👩‍👧.mp3', '👩👩👧.mp3'],
  ] as const;

  test.each(twins)('%j is not %j', async (key, twin) => {
    const name = `twins/${key}`;
    expect((await ann.put(encodeURIComponent(name), talk)).status).toBe(200);
    const payload = (key: string) => ({ audio: { key }, audit: { provider: 'edge' } });
    const other = await ann.caption(payload(`twins/${twin}`));
    expect(other.result.error?.code).toBe('audio_not_found');
    // The same key does not reach it from another workspace either.
    const stranger = await bob.caption(payload(name));
    expect(stranger.result.error?.code).toBe('audio_not_found');
    const own = await ann.caption(payload(name));
    expect(own.result.status).toBe('completed');
    const { runId } = own._meta;
    expect((await ann.run(runId)).audioKey).toBe(name);
  });

  test('the canary files are untouched', async () => {
    for (const name of canaries) {
      expect(await readFile(join(parent, name), 'utf8')).toBe('untouched');
    }
    expect(await outside()).toEqual(untouched);
    expect(server.log()).not.toContain('"level":"error"');
  });
});
