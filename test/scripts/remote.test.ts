/** Recordings captioned on a server: their upload, in one request or in steps, and the run. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../scripts/command-line.ts';
import { connect } from '../../scripts/remote-captions.ts';
import { requestsTo, serverAddress, serverKey } from '../../scripts/server-requests.ts';
import { type Seen, startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { restoring } from './support.ts';

describe('recordings captioned on a server', async () => {
  const MIB = 2 ** 20;
  const server = await startHttpDouble(() => new Response(''));
  const folder = await temporaryFolder();
  afterAll(async () => {
    await server.close();
    await removeFolder(folder);
  });
  afterEach(() => server.behave(null));
  beforeEach(() => void (server.requests.length = 0));

  const status = (code: number, headers: Record<string, string> = {}) =>
    new Response(code === 204 ? null : '', { status: code, headers });
  const lines = () => server.requests.map(({ method, url }) => `${method} ${url.pathname}`);

  describe('an upload', () => {
    const waiting = noWaiting();
    const fractions: number[] = [];
    beforeEach(() => void (waiting.pauses.length = fractions.length = 0));
    const upload = async (bytes: number) => {
      const mp3 = join(folder, 'long.mp3');
      await writeFile(mp3, Buffer.alloc(bytes, 'mp3'));
      const { caption } = connect(new URL(server.origin), 'secret-key', { waiting });
      const report = (stage: string, done: number) =>
        void (stage === 'storage' && fractions.push(done));
      await caption(mp3, { audio: { key: 'long.mp3' } }, report, () => {});
    };
    const uploadLines = () => lines().filter((line) => line.includes(' /resumable'));
    /** A server that keeps what arrives, and answers some requests differently. */
    const resumable = (differently: (seen: Seen, kept: number) => Response | undefined) => {
      const parts: Buffer[] = [];
      const size = () => parts.reduce((sum, { length }) => sum + length, 0);
      server.behave((seen) => {
        const other = differently(seen, size());
        if (other) return other;
        if (seen.url.pathname.startsWith('/workflows/'))
          return Response.json({ runId: 'run_1', envelope: { result: {} } });
        if (seen.method === 'POST') return status(201, { location: '/resumable/u1' });
        if (seen.method === 'PATCH') parts.push(seen.body);
        return status(seen.method === 'HEAD' ? 200 : 204, { 'upload-offset': String(size()) });
      });
      return size;
    };

    test('from one MiB on has steps of four MiB, and reports each', async () => {
      const size = resumable(() => undefined);
      await upload(10 * MIB);
      expect(uploadLines()).toEqual(['POST /resumable', ...Array(3).fill('PATCH /resumable/u1')]);
      const [created, first, second] = server.requests;
      expect(['tus-resumable', 'upload-length'].map((name) => created?.header(name))).toEqual([
        '1.0.0',
        String(10 * MIB),
      ]);
      const [, key = ''] = created?.header('upload-metadata')?.split(' ') ?? [];
      expect(Buffer.from(key, 'base64').toString()).toMatch(/^shell\/[0-9a-f-]{36}\.mp3$/);
      expect([first, second].map((seen) => seen?.header('upload-offset'))).toEqual([
        '0',
        String(4 * MIB),
      ]);
      expect(first?.header('content-type')).toBe('application/offset+octet-stream');
      expect(fractions).toEqual([0, 0.4, 0.8, 1]);
      expect(size()).toBe(10 * MIB);
    });

    test.each([409, 423, 503])('continues at the server’s offset after status %i', async (code) => {
      const size = resumable(({ method, at }) =>
        method === 'PATCH' && at === 2 ? status(code) : undefined,
      );
      await upload(6 * MIB);
      expect(uploadLines()).toEqual([
        'POST /resumable',
        'PATCH /resumable/u1',
        'PATCH /resumable/u1',
        'HEAD /resumable/u1',
        'PATCH /resumable/u1',
      ]);
      expect(server.requests[3]?.header('tus-resumable')).toBe('1.0.0');
      expect(waiting.pauses).toEqual([250]);
      expect(fractions).toEqual([0, 4 / 6, 4 / 6, 1]);
      expect(size()).toBe(6 * MIB);
    });

    test('gives up after eight failures in a row, with longer and longer pauses', async () => {
      resumable(({ method }) => (method === 'PATCH' ? status(503) : undefined));
      await expect(upload(MIB)).rejects.toThrow('answered with status 503');
      expect(waiting.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
    });
  });

  test('a recording is uploaded, its run followed to the end, and its result returned', async () => {
    const mp3 = join(folder, 'talk.mp3');
    await writeFile(mp3, 'recording');
    const states = [
      { finishedAt: null, stage: null, progress: 0 },
      { finishedAt: null, stage: 'transcription', progress: 0.5 },
      // The run has ended, but its result is not there yet.
      { finishedAt: '2026-11-26T10:00:00Z', stage: 'workflow', progress: 1 },
      { finishedAt: '2026-11-26T10:00:00Z', envelope: { result: { status: 'completed' } } },
    ];
    let started = 0;
    server.behave(({ method, url }) => {
      if (method === 'PUT') return status(201);
      if (url.search === '?after=0') return Response.json({ position: 2, parts: [{ text: 'hi' }] });
      // A server of an earlier version has none.
      if (url.search !== '') return status(404);
      if (method === 'GET') return Response.json(states.shift());
      started += 1;
      return started === 1 ? status(503) : Response.json({ runId: 'run_1' });
    });
    const waiting = noWaiting();
    const reports: [string, number][] = [];
    const { caption } = connect(new URL(server.origin), 'secret-key', { waiting });
    const payload = { audio: { key: 'talk.mp3', filename: 'talk.mp3' }, language: 'en' };
    const words: string[] = [];
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    const result = await caption(
      mp3,
      payload,
      (stage, progress) => reports.push([stage, progress]),
      (text) => words.push(text),
    );
    process.stderr.isTTY = isTTY;
    expect(words).toEqual(['hi']);
    expect(result as unknown).toEqual({ status: 'completed' });
    const [put, first, second] = server.requests;
    const key = put?.url.pathname.replace('/audio/', '') ?? '';
    expect(key).toMatch(/^shell\/[0-9a-f-]{36}\.mp3$/);
    expect(JSON.parse(String(second?.body))).toEqual({
      ...payload,
      audio: { key, filename: 'talk.mp3' },
    });
    // A repeated start must not start a second run.
    expect(first?.header('idempotency-key')).toMatch(/./);
    expect(second?.header('idempotency-key')).toBe(first?.header('idempotency-key') ?? '');
    const followed = server.requests.slice(3).map(({ url }) => url.pathname + url.search);
    const run = '/workflows/captioner/run_1';
    const heard = [0, 2].map((after) => `${run}/partial-transcript?after=${after}`);
    expect(followed).toEqual([run, heard[0]!, run, heard[1]!, run, run]);
    expect(waiting.pauses).toEqual([500, 1000, 1000, 1000]);
    expect(reports).toEqual([
      ['storage', 0],
      ['payload', 0],
      ['transcription', 0.5],
      ['workflow', 1],
    ]);
  });
});

describe('requests of the shell to a server', async () => {
  const server = await startHttpDouble(() => new Response('fine'));
  afterAll(() => server.close());
  afterEach(() => server.behave(null));
  beforeEach(() => void (server.requests.length = 0));

  const connected = (path = '/') => {
    const waiting = noWaiting();
    return { ...requestsTo(new URL(path, server.origin), 'secret-key', waiting), waiting };
  };
  const busy = (headers: Record<string, string> = {}) => new Response('', { status: 503, headers });

  test.each([
    'https://captions.example/api',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:1',
  ])('a server may be at %s', (address) => {
    expect(serverAddress(address).href).toBe(new URL(address).href);
  });

  test.each([
    ['captions.example', 'http or https'],
    ['ftp://captions.example', 'http or https'],
    ['https://ann@captions.example', 'without a password'],
    ['https://:secret@captions.example', 'without a password'],
    ['http://captions.example', 'over http the key could be read'],
    ['http://captions.localhost.example', 'over http the key could be read'],
    ['http://localhost.captions.example', 'over http the key could be read'],
    ['http://127.0.0.1.captions.example', 'over http the key could be read'],
  ])('a server may not be at %s: %s', (address, says) => {
    expect(() => serverAddress(address)).toThrow(UsageError);
    expect(() => serverAddress(address)).toThrow(says);
  });

  describe('the key of a server', () => {
    restoring('CAPTIONER_API_KEY', 'PATH');
    const address = new URL('https://captions.example/api');

    test('is otherwise in the keychain, for the host with its port', async () => {
      const folder = await temporaryFolder();
      const isMac = process.platform === 'darwin';
      const tool = isMac ? 'security' : 'secret-tool';
      await writeFile(join(folder, tool), '#!/bin/sh\necho " $@ "\n', { mode: 0o755 });
      delete process.env['CAPTIONER_API_KEY'];
      process.env['PATH'] = folder;
      expect(serverKey(new URL('https://captions.example:8443/api'))).toBe(
        isMac
          ? 'find-generic-password -s captioner captions.example:8443 -w'
          : 'lookup service captioner captions.example:8443',
      );
      await removeFolder(folder);
    });

    test('is asked for if there is none', () => {
      process.env['CAPTIONER_API_KEY'] = ' ';
      process.env['PATH'] = '/dev/null';
      expect(() => serverKey(address)).toThrow(
        'https://captions.example needs an API key: set CAPTIONER_API_KEY, or get one with ',
      );
    });
  });

  test('a request goes below the address of the server, with the key', async () => {
    const { send } = connected('/captions/');
    const response = await send('PUT', '/audio/a.mp3', () => ({
      body: 'bytes',
      headers: { 'content-type': 'audio/mpeg' },
    }));
    expect(await response.text()).toBe('fine');
    const [seen] = server.requests;
    expect([seen?.method, seen?.url.pathname, String(seen?.body)]).toEqual([
      'PUT',
      '/captions/audio/a.mp3',
      'bytes',
    ]);
    expect(['authorization', 'content-type'].map((name) => seen?.header(name))).toEqual([
      'Bearer secret-key',
      'audio/mpeg',
    ]);
  });

  test('a redirect does not take the key elsewhere', async () => {
    server.behave(({ url }) =>
      url.pathname === '/a'
        ? new Response('', { status: 307, headers: { location: `${server.origin}/b` } })
        : new Response('fine'),
    );
    expect(await connected().once('GET', '/a', {})).toBeNull();
    expect(server.requests.map(({ url }) => url.pathname)).toEqual(['/a']);
  });

  test.each([429, 502, 503, 504])('a request is repeated after status %i', async (status) => {
    server.behave(({ at }) => (at === 0 ? new Response('', { status }) : new Response('fine')));
    const { send, waiting } = connected();
    expect((await send('GET', '/')).status).toBe(200);
    expect(waiting.pauses).toEqual([500]);
  });

  test('a request is repeated after the pause that the server asks for, a minute at most', async () => {
    const asked = ['0', '7', '3600', 'soon'];
    server.behave(({ at }) =>
      asked[at] === undefined ? new Response('fine') : busy({ 'retry-after': asked[at] }),
    );
    const { send, waiting } = connected();
    await send('GET', '/');
    expect(waiting.pauses).toEqual([0, 7000, 60_000, 4000]);
  });
});

describe('captioner login', () => {
  const started = { claim_token: 'clm_1', delivery: { email: 'a**@example.com' } };
  const problem = { error: { code: 'invalid_otp', message: 'That code is wrong.' } };
  const login = async (typed: string, tool?: string) => {
    const asked: [string, unknown][] = [];
    const server = await startHttpDouble(async (seen) => {
      const body = JSON.parse(seen.body.toString());
      asked.push([seen.url.pathname, body]);
      if (seen.url.pathname === '/agent/auth') return Response.json(started);
      return body.otp === '123456'
        ? Response.json({ credential: 'the-key' })
        : Response.json(problem, { status: 401 });
    });
    const folder = await temporaryFolder();
    if (tool) await writeFile(join(folder, 'secret-tool'), tool, { mode: 0o755 });
    const child = Bun.spawn(
      [process.execPath, 'scripts/login.ts', 'ann@example.com', '--server', server.origin],
      {
        env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, XDG_CONFIG_HOME: folder },
        stdin: new Blob([typed]),
        stdout: 'pipe',
        stderr: 'pipe',
      },
    );
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    const file = Bun.file(join(folder, 'captioner/keys.json'));
    const kept = (await file.exists()) ? await file.json() : null;
    const mode = kept && ((await file.stat()).mode & 0o777).toString(8);
    const stored = await Bun.file(join(folder, 'stored'))
      .text()
      .catch(() => '');
    await server.close();
    await removeFolder(folder);
    return { code, said: out + err, asked, kept, mode, stored, host: new URL(server.origin).host };
  };
  const broken = '#!/bin/sh\nexit 1\n';

  test('registers, takes the newest code, and keeps the key in a file with consent', async () => {
    const { code, said, asked, kept, mode, host } = await login('111111\n123456\ny\n', broken);
    expect([code, kept, mode]).toEqual([0, { [host]: 'the-key' }, '600']);
    expect(said).toContain('That code is wrong.');
    expect(said).not.toContain('the-key');
    expect(asked[0]?.[1]).toMatchObject({ assertion: 'ann@example.com' });
    expect(asked.slice(1).map(([, body]) => body)).toEqual([
      { claim_token: 'clm_1', otp: '111111' },
      { claim_token: 'clm_1', otp: '123456' },
    ]);
  });
});
