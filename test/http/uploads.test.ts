/** Uploads of recordings, with a key or a link. */
import { describe, expect, setDefaultTimeout, test, afterAll } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  AudioObjectReceipt,
  Mp3RequiredError,
  Mp3TooLargeError,
} from '../../server/contract/audio.ts';
import { validator } from '../../server/contract/schema.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { signUp, until } from '../support/servers/client.ts';
import { testServer } from '../support/servers/test-server.ts';
import { sample } from '../support/sample.ts';
import { type UploadClock, incomingBody } from '../../server/http/bodies/incoming-body.ts';
import { createUploads } from '../../server/http/uploads/mp3-upload.ts';
import { Problem, toProblem } from '../../server/http/problems.ts';
import { createLog } from '../../server/base/log.ts';
import type { Metrics } from '../../server/base/metrics.ts';
import { QuotaExceeded } from '../../server/storage/audio-usage.ts';
import type { AudioStore } from '../../server/storage/audio.ts';
import { DiskReserveReached } from '../../server/storage/disk-reserve.ts';
import { fixture } from '../mp3/support.ts';
import { createUploadLinks } from '../../server/http/uploads/upload-links.ts';
import { IdentityError } from '../../server/identity/provider.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { mountedApp, callTool } from '../support/servers/mounted.ts';
import { watchedBody } from '../support/watched-body.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

setDefaultTimeout(300_000);

describe('uploads to a running server, valid and hostile, some over bare sockets', async () => {
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

  const head = (path: string, line: string) =>
    `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ann.key}\r\nContent-Type: audio/mpeg\r\n${line}\r\n\r\n`;

  /** Asserts that a response is a 413 in the form of the contract. */
  const expectTooLarge = (answer: string) => {
    expect(answer).toStartWith('HTTP/1.1 413');
    const body = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1);
    expect(validator(Mp3TooLargeError).issues(JSON.parse(body))).toEqual([]);
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
      expect(body.error.recommendation.fallbackCommand).toContain('-b:a 48k');
      expect(await incoming()).toBe(0);
    });

    test.each([
      ['talk.wav', {}],
      ['talk.MP3', {}],
      ['talk.mp3', { 'content-type': 'video/mp4' }],
      ['talk.mp3', { 'content-type': 'audio/mp3' }],
      ['talk.mp3', { 'content-type': '' }],
      ['talk.mp3', { 'content-encoding': 'gzip' }],
    ])('as %s with %j is refused', async (key, headers) => {
      const response = await ann.put(key, talk, headers);
      expect(response.status).toBe(415);
      expect(validator(Mp3RequiredError).issues(await response.json())).toEqual([]);
    });
  });

  test('a Content-Length above the limit is refused before the body is read', async () => {
    expectTooLarge(await raw(head('/audio/big.mp3', `Content-Length: ${UPLOAD.maxBytes + 1}`)));
  });

  test('an endless stream is refused at the limit', async () => {
    const frame = new Uint8Array(talk.subarray(0, 144 * 400));
    const chunk = new Uint8Array([
      ...Buffer.from(`${frame.length.toString(16)}\r\n`),
      ...frame,
      ...Buffer.from('\r\n'),
    ]);
    let sent = 0;
    const chunked = head('/audio/endless.mp3', 'Transfer-Encoding: chunked');
    const answer = await raw(chunked, (write) => {
      write(chunk);
      sent += frame.length;
      return sent < UPLOAD.maxBytes * 3;
    });
    expectTooLarge(answer);
    await until(async () => (await incoming()) === 0);
  });

  test('a client that disconnects leaves nothing behind', async () => {
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

// Uploads in this process, with a simulated clock: slots, the minimum rate and refusals.
const mp3 = new Uint8Array(fixture('mono-16k.mp3'));

/** A clock that advances only on request. */
function handClock(): UploadClock & { pass(ms: number): void } {
  let time = 0;
  const due = new Map<object, { at: number; call(): void }>();
  return {
    now: () => time,
    after(ms, call) {
      const entry = {};
      due.set(entry, { at: time + ms, call });
      return () => due.delete(entry);
    },
    pass(ms) {
      time += ms;
      for (const { at, call } of due.values()) if (at <= time) call();
    },
  };
}

test.each([
  ['63 kbit/s', 7900, 1000, 200],
  ['a byte now and then', 1, 100, 1000],
  ['nothing', 0, 31_000, 1],
])('%s is too slow: 408', async (_name, bytes, everyMs, times) => {
  const clock = handClock();
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    clock.pass(everyMs);
    if (sent++ === times) controller.close();
    else controller.enqueue(new Uint8Array(bytes));
  };
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  const received = Array.fromAsync(incomingBody(body, clock));
  expect(await refusalOf(received)).toEqual([408, 'upload_too_slow']);
});

test('a silent body times out after 30 seconds and is released', async () => {
  const clock = handClock();
  let cancelled = false;
  const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const outcome = refusalOf(incomingBody(silent, clock)[Symbol.asyncIterator]().next());
  clock.pass(29_999);
  await Promise.resolve();
  expect(cancelled).toBe(false);
  clock.pass(1);
  expect(await outcome).toEqual([408, 'upload_too_slow']);
  expect(cancelled).toBe(true);
});

describe('an upload', () => {
  const log = createLog('silent');
  /** A service whose store reads the body and stores nothing. */
  function service(put: Partial<AudioStore> = {}) {
    const idle: number[] = [];
    const reserved: unknown[] = [];
    let active = 0;
    let bytes = 0;
    const metrics = {
      uploading: (change: number) => (active += change),
      received: (count: number) => (bytes += count),
    } as unknown as Metrics;
    const audio = {
      async put(_: string, __: string, body: AsyncIterable<Uint8Array>, most?: number) {
        reserved.push(most);
        let size = 0;
        for await (const chunk of body) size += chunk.byteLength;
        return { size };
      },
      ...put,
    } as AudioStore;
    const { store } = createUploads({
      audio,
      metrics,
      uploadsAtOnce: 3,
      uploadsPerWorkspace: 2,
      uploadsPerNetwork: 3,
      clientAddress: () => '127.0.0.1',
      setIdleTimeout: (_request, seconds) => void idle.push(seconds),
    });
    const send = async (body: BodyInit, headers: Record<string, string> = {}, by = 'ann') => {
      const typed = { 'content-type': 'audio/mpeg', ...headers };
      const request = new Request('http://localhost/', { method: 'PUT', body, headers: typed });
      try {
        return await store(request, { organizationId: by, key: 'talk.mp3' });
      } catch (error) {
        const problem = toProblem(error, 'PUT /audio/{key}', log);
        const response = problem.response();
        return [response.status, problem.code, response.headers.get('retry-after')];
      }
    };
    return { send, idle, reserved, active: () => active, bytes: () => bytes };
  }

  test('that is not as long as its Content-Length is not stored', async () => {
    const { send, reserved } = service();
    const sized = (length: unknown) => send(mp3, { 'content-length': String(length) });
    // On some runtimes the connection ends without an error.
    expect(await sized(mp3.length + 1)).toEqual([400, 'incomplete_upload', null]);
    expect(await sized(mp3.length - 1)).toEqual([400, 'incomplete_upload', null]);
    // An HTTP server refuses such a header, but nothing may be reserved by it.
    expect(await sized('all')).toEqual([400, 'incomplete_upload', null]);
    expect(await sized(mp3.length)).toMatchObject({ ok: true });
    const odd = await send(mp3, { 'content-type': 'Audio/MPEG; a=b' });
    expect(odd).toMatchObject({ ok: true });
    const { length } = mp3;
    expect(reserved).toEqual([length + 1, length - 1, undefined, length, undefined]);
  });

  test('that is invalid by its headers is refused before it takes a slot', async () => {
    const { send, idle } = service();
    const large = await send(mp3, { 'content-length': '104857601' });
    expect(large).toEqual([413, 'upload_too_large', null]);
    expect(await send(mp3, { 'content-type': 'video/mp4' })).toEqual([415, 'mp3_required', null]);
    expect(await send(mp3, { 'content-encoding': 'gzip' })).toEqual([415, 'mp3_required', null]);
    expect(idle).toEqual([]);
  });

  test("above its workspace's slots gets 429, above all slots 503; slots are released", async () => {
    const held = Promise.withResolvers<{ size: number }>();
    const { send, active } = service({ put: () => held.promise });
    const waiting = [send(mp3), send(mp3)];
    expect(await send(mp3)).toEqual([429, 'rate_limited', '5']);
    waiting.push(send(mp3, {}, 'bob'));
    expect(await send(mp3, {}, 'eve')).toEqual([503, 'unavailable', '5']);
    expect(active()).toBe(3);
    held.resolve({ size: 1 });
    await Promise.all(waiting);
    expect(active()).toBe(0);
    expect(await send(mp3)).toMatchObject({ ok: true });
  });

  test.each([
    [new QuotaExceeded('recordings', 100, 99), [429, 'quota_exceeded', '60']],
    [new QuotaExceeded('results', 100, 99), [429, 'quota_exceeded', '3600']],
    [new DiskReserveReached(), [503, 'unavailable', '60']],
  ])('beyond a quota or the reserve of the disk gets its response (%#)', async (error, answer) => {
    const put = async () => {
      throw error;
    };
    const failing = service({ put });
    expect(await failing.send(mp3)).toEqual(answer);
    expect(failing.active()).toBe(0);
  });
});

// Upload links: ownership, expiry and single use.
const made = await testIdentity();
afterAll(() => made.close());

const { identity, database, clock } = made;
const base = 'http://captions.example';
const lines: unknown[] = [];
const make = (hasher = made.hasher, live = identity) =>
  createUploadLinks({
    hasher,
    database,
    identity: live,
    log: { audit: (event: string, fields: object) => lines.push({ event, ...fields }) } as never,
    now: () => clock.now,
  });
const links = make();

const key = async (email: string) => {
  const { claimToken } = await made.start(email);
  return identity.complete({ claimToken, code: made.code(email) });
};
const ann = await key('ann@example.com');
const grant = { organizationId: ann.organizationId, keyId: ann.metadata.id, key: 'talks/talk.mp3' };
const tokenOf = ({ url }: { url: string }) => url.split('/uploads/')[1] ?? '';
const token = (of = links): string => tokenOf(of.create(grant, base));
const stored = async ({ key: name }: { key: string }) => name;
const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ status, message }) => `${status} ${message}`,
  );

test('a link allows its upload, whoever created it', async () => {
  const { url, expiresAt } = links.create(grant, base);
  expect(url).toStartWith('http://captions.example/uploads/');
  expect(expiresAt).toBe(clock.now + 15 * 60_000);
  expect(await links.use(tokenOf({ url }), async (given) => given)).toEqual(grant);
  expect(lines.at(-1)).toEqual({
    event: 'upload_by_link',
    keyId: grant.keyId,
    organizationId: grant.organizationId,
    route: 'PUT /uploads/{token}',
  });
});

test('the key of a person is validated as theirs, from the details in the link', async () => {
  const asked: unknown[] = [];
  const live = { isLive: async (owner: object) => asked.push(owner) > 0 } as typeof identity;
  const theirs = { ...grant, userId: 'user_1' };
  const used = make(made.hasher, live);
  const given = tokenOf(used.create(theirs, base));
  expect(await used.use(given, async (grant) => grant)).toEqual(theirs);
  expect(asked).toEqual([theirs]);
});

test('it works once, even for simultaneous uploads', async () => {
  const used = token();
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => refused(links.use(used, stored))),
  );
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has already been used/);
  // Two links of the same moment are two links.
  for (const other of [token(), token()]) {
    expect(await links.use(other, stored)).toBe('talks/talk.mp3');
  }
});

test('a failed upload can be repeated, and frees only its own link', async () => {
  const [used, again] = [token(), token()];
  await links.use(used, stored);
  const broken = links.use(again, () => Promise.reject(new Error('the body broke off')));
  expect(await refused(broken)).toContain('the body broke off');
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has already been used/);
  expect(await links.use(again, stored)).toBe('talks/talk.mp3');
});

test('it expires after fifteen minutes, and records of used links are then deleted', async () => {
  const [late, used] = [token(), token()];
  await links.use(used, stored);
  clock.now += 15 * 60_000 - 1;
  await links.use(token(), stored);
  const before = await database.selectFrom('used_upload_links').select('id').execute();
  expect(before.length).toBeGreaterThan(1);
  clock.now += 1;
  expect(await refused(links.use(late, stored))).toMatch(/^403 .*has expired/);
  expect(await refused(links.use(used, stored))).toMatch(/^403 .*has expired/);
  await links.use(token(), stored);
  expect(await database.selectFrom('used_upload_links').select('id').execute()).toHaveLength(2);
});

test('it becomes invalid with its key', async () => {
  const ben = await key('ben@example.com');
  const theirs = tokenOf(links.create({ ...grant, keyId: ben.metadata.id }, base));
  const gone = { revoked_at: clock.now };
  await database.updateTable('api_keys').set(gone).where('id', '=', ben.metadata.id).execute();
  const unknown = tokenOf(links.create({ ...grant, keyId: 'nobody' }, base));
  for (const one of [theirs, unknown]) {
    expect(await refused(links.use(one, stored))).toMatch(/^403 .*has been revoked/);
  }
});

test('while the identity provider does not respond, it is neither accepted nor used up', async () => {
  const isLive = () => Promise.reject(new IdentityError(503, 'idp_timeout', 'Too late.'));
  const waiting = token();
  const asked = make(made.hasher, { ...identity, isLive }).use(waiting, stored);
  await expect(asked).rejects.toBeInstanceOf(Problem);
  await expect(asked).rejects.toMatchObject({ status: 503, message: 'Too late.' });
  expect(await links.use(waiting, stored)).toBe('talks/talk.mp3');
});

test('a modified link, or one of another service, is refused', async () => {
  const [text = '', signature = ''] = token().split('.');
  const forged = { ...grant, organizationId: 'org_x', expiresAt: clock.now + 1000 };
  const other = Buffer.from(JSON.stringify(forged)).toString('base64url');
  for (const bad of [
    null,
    '',
    '.',
    text,
    `${text}.`,
    `${text}.${'0'.repeat(64)}`,
    `${other}.${signature}`,
    `${text}.${signature}0`,
  ]) {
    expect(await refused(links.use(bad, stored))).toMatch(/^403 This is not an upload link/);
  }
  const foreign = token(make(createHasher('x'.repeat(32))));
  expect(await refused(links.use(foreign, stored))).toMatch(/^403 This is not an upload link/);
});

describe('bodies that no route needs stay unread, whatever type they claim to have', async () => {
  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const { structuredContent: link } = await callTool(app, ann, 'create_upload_link', {});

  test('DELETE /audio/{key} deletes a recording, which only its own workspace can do', async () => {
    const bob = await app.signUp('bob@example.org');
    const ask = async (method: string, key: string, body?: Uint8Array<ArrayBuffer>) =>
      (await app.ask('/audio/talk.mp3', { method, key, ...(body && { body }) })).status;
    expect(await ask('PUT', ann.key, new Uint8Array(await readFile(sample)))).toBe(200);
    expect(await ask('DELETE', bob.key)).toBe(404);
    expect(await ask('DELETE', ann.key)).toBe(204);
    expect(await app.services.audio.stat(ann.organizationId, 'talk.mp3')).toBeNull();
    expect(await ask('DELETE', ann.key)).toBe(404);
  });

  test.each([
    ['PUT', '/uploads/{token}', 415, 'mp3_required'],
    ['PUT', '/uploads/forged.link', 403, 'invalid_upload_link'],
    ['POST', '/agent/auth/claim', 400, 'claim_not_supported'],
    ['POST', '/oauth/token', 400, 'unsupported_grant_type'],
    ['POST', '/oauth/register', 400, 'invalid_client_metadata'],
    ['POST', '/mcp', 401, 'missing_credential'],
  ])('%s %s: %i %s', async (method, path, status, code) => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const { body, reads } = watchedBody('{"a":');
      const answer = await app.ask(path.replace('/uploads/{token}', new URL(link.url).pathname), {
        method,
        body,
        headers: { 'content-type': type },
      });
      const { error } = await answer.json();
      expect([answer.status, error.code ?? error, reads()]).toEqual([status, code, 0]);
    }
  });
});
