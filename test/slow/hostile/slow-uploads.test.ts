/**
 * Slow clients, and clients whose bodies do not match their headers, over bare sockets: others are
 * served in the meantime, and slots are freed.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { metricsOf, signUp, until } from '../../support/servers/client.ts';
import { dial, type Connection } from '../../support/servers/dial.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { clip } from './support/mp3-parts.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const talk = new Uint8Array(clip(2));
const PLACES = 8;
const open: Socket[] = [];
afterAll(() => open.forEach((socket) => socket.destroy()));

/** Opens a connection to a server, which ends with the test file. */
async function arrive({ url }: { url: string }): Promise<Connection> {
  const connection = dial(url);
  open.push(connection.socket);
  connection.socket.setNoDelay(true);
  await once(connection.socket, 'connect');
  return connection;
}

const head = (key: string, name: string, ...lines: string[]): string =>
  [
    `PUT /audio/${name} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: audio/mpeg',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Sends a number of bytes ten times a second, while the connection lasts. */
function drip(socket: Socket, bytes: Uint8Array, each = 1): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || sent >= bytes.length) clearInterval(timer);
    else socket.write(bytes.subarray(sent, (sent += each)));
  }, 100);
  socket.on('close', () => clearInterval(timer));
}

const incoming = async ({ dataDir }: ServerProcess) =>
  (await readdir(join(dataDir, 'audio', 'incoming'))).length;
const descriptors = async ({ pid }: ServerProcess) => (await readdir(`/proc/${pid}/fd`)).length;
const underWay = async (of: { url: string }) =>
  Number(/^captioner_uploads_active (\d+)/m.exec(await metricsOf(of))?.[1]);

const server = await testServer({ env: { UPLOADS_PER_WORKSPACE: '64' } });
const bob = await signUp(server, 'bob@example.com');
const patient = await testServer();
const eve = await signUp(patient, 'eve@example.com');
const full = await testServer({
  env: { UPLOADS_AT_ONCE: String(PLACES), UPLOADS_PER_WORKSPACE: '100' },
});
const ann = await signUp(full, 'ann@example.com');

/** Full from the start; the last test checks that its places are freed. */
const held = await Promise.all(
  Array.from({ length: PLACES }, async (_, at) => {
    const client = await arrive(full);
    const chunked = at % 4 === 3;
    client.socket.write(
      head(
        ann.key,
        `held${at}.mp3`,
        chunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 1000000',
      ),
    );
    // Some start well and stop, some send nothing, some a byte now and then.
    if (at % 4 === 0) client.socket.write(talk);
    if (at % 4 === 1) drip(client.socket, talk);
    if (chunked) client.socket.write('5\r\nabc');
    return client;
  }),
);

/**
 * A slow line, slightly above the minimum rate: its talk takes longer than a client may be silent.
 */
const long = Buffer.concat(Array.from({ length: 500 }, () => talk)).subarray(0, 330_000);
const steady = await arrive(patient);
steady.socket.write(head(eve.key, 'long.mp3', `Content-Length: ${long.length}`));
drip(steady.socket, long, 1000);

test('an upload above the limit gets 503 with Retry-After', async () => {
  await until(async () => (await underWay(full)) === PLACES);
  const refused = await ann.put('more.mp3', talk);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await refused.json()).error.code).toBe('unavailable');
  expect((await fetch(full.url)).status).toBe(200);
});

test('200 nearly silent uploads: others are served, and nothing is left behind', async () => {
  expect((await bob.put('talk.mp3', talk)).status).toBe(200);
  const before = await descriptors(server);
  const slow = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const client = await arrive(server);
      const body = head(bob.key, `slow${at}.mp3`, `Content-Length: ${talk.length}`);
      // 50 uploads, 50 with an invalid key, 50 with endless headers, 50 that send nothing.
      if (at % 4 === 0) client.socket.write(body);
      if (at % 4 === 1) client.socket.write(body.replace('Bearer ', 'Bearer x'));
      if (at % 4 < 2) drip(client.socket, talk);
      if (at % 4 === 2) drip(client.socket, Buffer.from(body));
      return { ...client, kind: at % 4 };
    }),
  );
  await until(async () => (await underWay(server)) === 50);
  for (let round = 0; round < 20; round++) {
    const started = performance.now();
    const [page, upload] = await Promise.all([fetch(server.url), bob.put('talk.mp3', talk)]);
    expect([page.status, upload.status]).toEqual([200, 200]);
    await Promise.all([page.text(), upload.text()]);
    expect(performance.now() - started).toBeLessThan(60_000);
    await Bun.sleep(50);
  }
  for (const { answer, kind } of slow) {
    if (kind === 1) expect(answer()).toStartWith('HTTP/1.1 401');
    else expect(answer()).toBe('');
  }
  expect(await incoming(server)).toBe(50);
  for (const { socket } of slow) socket.destroy();
  await until(async () => (await incoming(server)) === 0);
  await until(async () => (await underWay(server)) === 0);
  await until(async () => (await descriptors(server)) <= before + 10);
});

describe('false lengths', () => {
  /** The response to a head and a body; a client that disconnects may miss it. */
  async function told(
    lines: string[],
    body: Uint8Array | string,
    hangsUp: boolean,
  ): Promise<number> {
    const { socket, answer, closed } = await arrive(server);
    socket.write(head(bob.key, 'lie.mp3', ...lines));
    if (hangsUp) socket.end(body);
    else socket.write(body);
    await until(async () => closed() || answer().includes('\r\n\r\n'));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer())?.[1] ?? 0);
  }

  const chunk = (bytes: Uint8Array, size = bytes.length.toString(16)) =>
    Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from('\r\n')]);
  const last = Buffer.from('0\r\n\r\n');
  const nothing = new Uint8Array();

  // 0: the connection ends without a response, as for a client that has disconnected.
  test.each([
    ['a length of which only half arrives', [`Content-Length: ${talk.length * 2}`], talk, [0, 400]],
    ['a length above the limit', [`Content-Length: ${UPLOAD.maxBytes + 1}`], talk, [413]],
    [
      'a length too large for a number',
      ['Content-Length: 99999999999999999999999'],
      talk,
      [0, 400, 413],
    ],
    ['a negative length', ['Content-Length: -1'], talk, [0, 400]],
    ['a length in hexadecimal', ['Content-Length: 0x100'], talk, [0, 400]],
    ['two lengths', ['Content-Length: 10', `Content-Length: ${talk.length}`], talk, [0, 400]],
    [
      'a length and chunks',
      ['Content-Length: 10', 'Transfer-Encoding: chunked'],
      Buffer.concat([chunk(talk), last]),
      [0, 400],
    ],
    ['no length', [], talk, [0, 400, 411, 415]],
    ['no bytes', ['Content-Length: 0'], nothing, [415]],
    ['no chunks', ['Transfer-Encoding: chunked'], last, [415]],
    ['chunks that do not end', ['Transfer-Encoding: chunked'], chunk(talk), [0, 400]],
    ['an invalid chunk size', ['Transfer-Encoding: chunked'], chunk(talk, 'zz'), [0, 400]],
    [
      'a chunk size too large for a number',
      ['Transfer-Encoding: chunked'],
      chunk(talk, 'f'.repeat(30)),
      [0, 400, 413],
    ],
    ['a negative chunk size', ['Transfer-Encoding: chunked'], chunk(talk, '-5'), [0, 400]],
    [
      'an unsupported encoding',
      ['Transfer-Encoding: gzip, chunked'],
      chunk(talk),
      [0, 400, 415, 501],
    ],
  ] as const)('%s', async (_name, lines, body, answers) => {
    const allowed: readonly number[] = answers;
    expect(allowed).toContain(await told([...lines], body, allowed.includes(0)));
    await until(async () => (await incoming(server)) === 0);
    const run = await bob.caption({ audio: { key: 'lie.mp3' } });
    expect(run.result.error.code).toBe('audio_not_found');
  });

  test('bytes beyond the length are a separate, invalid request', async () => {
    const { socket, answer } = await arrive(server);
    socket.write(head(bob.key, 'short.mp3', 'Content-Length: 4000'));
    socket.write(talk);
    // The runtime refuses the rest itself, as no request or as one of no known version, possibly before the upload is
    // answered.
    await until(async () => /^HTTP\/1\.1 (200|400|505)/.test(answer()));
    socket.destroy();
    await until(async () => (await incoming(server)) === 0);
    expect((await bob.put('short.mp3', talk)).status).toBe(200);
  });

  test('chunks beyond the limit', async () => {
    const { socket, answer } = await arrive(server);
    const many = chunk(new Uint8Array(Buffer.concat(Array.from({ length: 64 }, () => talk))));
    socket.write(head(bob.key, 'endless.mp3', 'Transfer-Encoding: chunked'));
    for (let sent = 0; sent < 2 * UPLOAD.maxBytes && answer() === ''; sent += many.length) {
      if (!socket.write(many))
        await Promise.race([once(socket, 'drain'), until(async () => answer())]);
    }
    await until(async () => answer());
    expect(answer()).toStartWith('HTTP/1.1 413');
    socket.destroy();
    await until(async () => (await incoming(server)) === 0);
  });
});

test('a nearly silent upload loses its slot', async () => {
  await until(async () => (await underWay(full)) === 0, 180_000);
  expect(await incoming(full)).toBe(0);
  await until(async () => held.every(({ answer, closed }) => closed() || answer() !== ''));
  for (const { answer, closed } of held) {
    if (!closed()) expect(answer()).toMatch(/^HTTP\/1\.1 408[^]*"upload_too_slow"/);
  }
  expect((await ann.put('more.mp3', talk)).status).toBe(200);
  expect(full.log()).not.toContain('"level":"error"');
  expect(server.log()).not.toContain('"level":"error"');
});

test('a slow upload above the minimum rate is accepted', async () => {
  await until(async () => steady.answer(), 180_000);
  expect(steady.answer()).toStartWith('HTTP/1.1 200');
  expect(steady.answer()).toContain('"size":330000');
});
