/** Uploads to a running server, valid and hostile, some over bare sockets. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  AudioObjectReceipt,
  Mp3RequiredError,
  Mp3TooLargeError,
} from '../../server/contract/audio.ts';
import { ErrorResponse } from '../../server/contract/failure.ts';
import { MAX_UPLOAD_BYTES } from '../../server/contract/limits.ts';
import { validator } from '../../server/contract/schema.ts';
import { signUp, until, type Any } from '../support/servers/client.ts';
import { logged } from '../support/servers/server-process.ts';
import { testServer } from '../support/servers/test-server.ts';
import { sample } from '../support/sample.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);

const server = await testServer();
const ann = await signUp(server, 'ann@example.com');

const incoming = async () => (await readdir(join(server.dataDir, 'audio', 'incoming'))).length;
const stored = async () =>
  (await readdir(join(server.dataDir, 'audio'), { recursive: true })).filter((name) =>
    name.endsWith('.mp3'),
  ).length;

/** Sends bytes over a bare socket, and returns the response until the connection ends. */
function raw(
  head: string,
  body?: (write: (bytes: Uint8Array) => boolean) => boolean,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      // A well-behaved client stops sending once it has its response.
      if (/\}\s*$/.test(answer)) socket.end();
    });
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
    socket.write(head);
    if (!body) return;
    const pump = () => {
      while (!socket.destroyed && !answer.includes('\r\n\r\n')) {
        if (!body((bytes) => socket.write(bytes))) return;
        if (socket.writableNeedDrain) {
          socket.once('drain', pump);
          return;
        }
      }
    };
    pump();
  });
}

const head = (path: string, ...lines: string[]) =>
  [
    `PUT ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${ann.key}`,
    'Content-Type: audio/mpeg',
    ...lines,
    '',
    '',
  ].join('\r\n');

const bodyOf = (answer: string): Any => {
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
};

describe('an upload', () => {
  test('of an MP3 is stored and acknowledged', async () => {
    const response = await ann.put('talks/%E5%AD%97%20%F0%9F%98%80/one.mp3', talk);
    const receipt = await response.json();
    expect(validator(AudioObjectReceipt).issues(receipt)).toEqual([]);
    expect(receipt).toEqual({
      ok: true,
      key: 'talks/字 😀/one.mp3',
      size: talk.length,
      mediaType: 'audio/mpeg',
    });
  });

  test.each([
    ['text', new TextEncoder().encode('this is no MP3 '.repeat(500))],
    ['nothing', new Uint8Array()],
    ['zeros', new Uint8Array(100_000)],
    ['a zip', new Uint8Array(Buffer.concat([Buffer.from('PK\u0003\u0004'), talk]))],
    ['a WAV', new Uint8Array(Buffer.concat([Buffer.from('RIFF....WAVEfmt '), talk]))],
    ['an MP4', new Uint8Array(Buffer.concat([Buffer.from('\0\0\0\u0018ftypisom'), talk]))],
  ])('of %s named .mp3 is refused by its content', async (_name, bytes) => {
    const response = await ann.put('fake.mp3', bytes);
    const body = await response.json();
    expect(response.status).toBe(415);
    expect(validator(Mp3RequiredError).issues(body)).toEqual([]);
    expect(await incoming()).toBe(0);
  });

  test.each([
    ['a key without .mp3', 'talk.wav', {}],
    ['a key in capitals', 'talk.MP3', {}],
    ['another media type', 'talk.mp3', { 'content-type': 'video/mp4' }],
    ['an unregistered media type', 'talk.mp3', { 'content-type': 'audio/mp3' }],
    ['no media type', 'talk.mp3', { 'content-type': '' }],
    ['an encoding', 'talk.mp3', { 'content-encoding': 'gzip' }],
  ])('with %s is refused', async (_name, key, headers) => {
    const response = await ann.put(key, talk, headers);
    expect([response.status, validator(Mp3RequiredError).issues(await response.json())]).toEqual([
      415,
      [],
    ]);
  });
});

describe('hostile keys', () => {
  test.each([
    '/audio/a/%2e%2e/b.mp3',
    '/audio/%2e%2e%2fb.mp3',
    '/audio/..%2f..%2fetc.mp3',
    '/audio/a%2f..%2fb.mp3',
    '/audio/a%00.mp3',
    '/audio/a%0d%0ab.mp3',
    '/audio/a//b.mp3',
    '/audio//b.mp3',
    '/audio/a/./b.mp3',
    '/audio/%ff%fe.mp3',
    '/audio/%zz.mp3',
    `/audio/${'k'.repeat(1021)}.mp3`,
    `/audio/${'%C3%A9'.repeat(511)}.mp3`,
  ])('%s', async (path) => {
    const before = await stored();
    const answer = await raw(head(path, 'Content-Length: 0', 'Connection: close'));
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    // The server may resolve dots before we see them, which changes the path.
    expect([400, 404, 415]).toContain(status);
    if (status !== 415) expect(validator(ErrorResponse).issues(bodyOf(answer))).toEqual([]);
    expect(await stored()).toBe(before);
  });

  test('a key of exactly 1,024 bytes is accepted', async () => {
    const response = await ann.put(`${'k'.repeat(1020)}.mp3`, talk);
    expect(response.status).toBe(200);
  });
});

describe('size limit', () => {
  const frame = new Uint8Array(talk.subarray(0, 144 * 400));

  test('a Content-Length above the limit is refused before the body is read', async () => {
    const answer = await raw(head('/audio/big.mp3', `Content-Length: ${MAX_UPLOAD_BYTES + 1}`));
    expect(answer).toStartWith('HTTP/1.1 413');
    expect(validator(Mp3TooLargeError).issues(bodyOf(answer))).toEqual([]);
  });

  test('an endless stream is refused at the limit', async () => {
    const chunk = Buffer.concat([
      Buffer.from(`${frame.length.toString(16)}\r\n`),
      frame,
      Buffer.from('\r\n'),
    ]);
    let sent = 0;
    const answer = await raw(head('/audio/endless.mp3', 'Transfer-Encoding: chunked'), (write) => {
      write(new Uint8Array(chunk));
      sent += frame.length;
      return sent < MAX_UPLOAD_BYTES * 3;
    });
    expect(answer).toStartWith('HTTP/1.1 413');
    expect(validator(Mp3TooLargeError).issues(bodyOf(answer))).toEqual([]);
    await until(async () => (await incoming()) === 0);
  });

  test('exactly the limit is accepted, one byte more is not', async () => {
    const body = new Uint8Array(MAX_UPLOAD_BYTES + 1);
    for (let at = 0; at < body.length; at += frame.length) {
      body.set(frame.subarray(0, Math.min(frame.length, body.length - at)), at);
    }
    expect((await ann.put('over.mp3', body)).status).toBe(413);
    expect((await ann.put('full.mp3', body.subarray(0, MAX_UPLOAD_BYTES))).status).toBe(200);
  });
});

describe('a client that disconnects', () => {
  test('leaves nothing behind', async () => {
    const before = await stored();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(head('/audio/gone.mp3', 'Content-Length: 1000000'));
    socket.write(talk);
    await until(async () => (await incoming()) === 1);
    socket.destroy();
    await until(async () => (await incoming()) === 0);
    expect(await stored()).toBe(before);
  });
});

test('without a key, or with the wrong scope, nothing is read', async () => {
  const anonymous = await fetch(`${server.url}/audio/a.mp3`, {
    method: 'PUT',
    body: new Uint8Array(talk),
  });
  expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('resource_metadata='),
  ]);
  const runner = await signUp(server, 'run@example.com', ['captioner:caption:run']);
  const response = await runner.put('a.mp3', talk);
  expect([response.status, validator(ErrorResponse).issues(await response.json())]).toEqual([
    403,
    [],
  ]);
});

test('each protected request writes an audit line without the key', async () => {
  const all = await logged(server, '"outcome":"insufficient_scope"');
  const lines = all
    .filter((line) => line.includes('protected_request'))
    .map((line): Any => JSON.parse(line));
  expect(lines.find((line) => line.outcome === 'allowed')).toMatchObject({
    route: 'PUT /audio/{key}',
    requiredScope: 'captioner:audio:upload',
    ownerType: 'organization',
    organizationId: ann.organizationId,
  });
  expect(server.log()).not.toContain(ann.key);
});
