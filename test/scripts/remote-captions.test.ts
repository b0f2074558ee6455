/** Recordings captioned on a server: their upload, in one request or in steps, and the run. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../../scripts/remote-captions.ts';
import { uploadRecording } from '../../scripts/remote-upload.ts';
import { requestsTo } from '../../scripts/server-requests.ts';
import { startHttpDouble, type Seen } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

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
  const upload = async (bytes: number) => {
    const waiting = noWaiting();
    const fractions: number[] = [];
    const requests = requestsTo(new URL(server.origin), 'secret-key', waiting);
    const mp3 = new Blob([Buffer.alloc(bytes, 'mp3')]);
    await uploadRecording(requests, 'shell/a.mp3', mp3, (done) => fractions.push(done));
    return { fractions, pauses: waiting.pauses };
  };
  /** A server that keeps what arrives, and answers some requests differently. */
  const resumable = (differently: (seen: Seen, kept: number) => Response | undefined) => {
    const parts: Buffer[] = [];
    const size = () => parts.reduce((sum, { length }) => sum + length, 0);
    server.behave((seen) => {
      const other = differently(seen, size());
      if (other) return other;
      if (seen.method === 'POST') return status(201, { location: '/resumable/u1' });
      if (seen.method === 'PATCH') parts.push(seen.body);
      return status(seen.method === 'HEAD' ? 200 : 204, { 'upload-offset': String(size()) });
    });
    return size;
  };

  test('below one MiB is one request', async () => {
    await upload(MIB - 1);
    expect(lines()).toEqual(['PUT /audio/shell/a.mp3']);
    expect(server.requests[0]?.header('content-type')).toBe('audio/mpeg');
    expect(server.requests[0]?.body).toHaveLength(MIB - 1);
  });

  test('from one MiB on has steps of four MiB, and reports each', async () => {
    const size = resumable(() => undefined);
    const { fractions } = await upload(10 * MIB);
    expect(lines()).toEqual(['POST /resumable', ...Array(3).fill('PATCH /resumable/u1')]);
    const [created, first, second] = server.requests;
    expect(
      ['tus-resumable', 'upload-length', 'upload-metadata'].map((name) => created?.header(name)),
    ).toEqual(['1.0.0', String(10 * MIB), `key ${Buffer.from('shell/a.mp3').toString('base64')}`]);
    expect([first, second].map((seen) => seen?.header('upload-offset'))).toEqual([
      '0',
      String(4 * MIB),
    ]);
    expect(first?.header('content-type')).toBe('application/offset+octet-stream');
    expect(fractions).toEqual([0.4, 0.8, 1]);
    expect(size()).toBe(10 * MIB);
  });

  test('is one request to a server without resumable uploads', async () => {
    server.behave(({ method }) => status(method === 'POST' ? 404 : 201, { location: '/login' }));
    await upload(MIB);
    expect(lines()).toEqual(['POST /resumable', 'PUT /audio/shell/a.mp3']);
  });

  test.each([409, 423, 503])('continues at the server’s offset after status %i', async (code) => {
    const size = resumable(({ method, at }) =>
      method === 'PATCH' && at === 2 ? status(code) : undefined,
    );
    const { fractions, pauses } = await upload(6 * MIB);
    expect(lines()).toEqual([
      'POST /resumable',
      'PATCH /resumable/u1',
      'PATCH /resumable/u1',
      'HEAD /resumable/u1',
      'PATCH /resumable/u1',
    ]);
    expect(server.requests[3]?.header('tus-resumable')).toBe('1.0.0');
    expect(pauses).toEqual([250]);
    expect(fractions).toEqual([4 / 6, 4 / 6, 1]);
    expect(size()).toBe(6 * MIB);
  });

  test('gives up after eight failures in a row, with longer and longer pauses', async () => {
    resumable(({ method }) => (method === 'PATCH' ? status(503) : undefined));
    const waiting = noWaiting();
    const requests = requestsTo(new URL(server.origin), 'secret-key', waiting);
    await expect(
      uploadRecording(requests, 'a', new Blob([Buffer.alloc(MIB)]), () => {}),
    ).rejects.toThrow('answered with status 503');
    expect(waiting.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test('counts failures anew after each step that arrives', async () => {
    resumable(({ method, at }) => (method === 'PATCH' && at % 3 !== 0 ? status(503) : undefined));
    expect((await upload(12 * MIB)).pauses).toEqual([250, 250, 250]);
  });

  test('that is refused ends with what the server says', async () => {
    const error = { code: 'quota_exceeded', message: 'There is no space left.' };
    resumable(({ method }) =>
      method === 'PATCH' ? Response.json({ error }, { status: 413 }) : undefined,
    );
    await expect(upload(MIB)).rejects.toThrow('(413 quota_exceeded): There is no space left.');
    expect(lines()).toEqual(['POST /resumable', 'PATCH /resumable/u1']);
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
  server.behave(({ method }) => {
    if (method === 'PUT') return status(201);
    if (method === 'GET') return Response.json(states.shift());
    started += 1;
    return started === 1 ? status(503) : Response.json({ runId: 'run_1' });
  });
  const waiting = noWaiting();
  const reports: [string, number][] = [];
  const { caption } = connect(new URL(server.origin), 'secret-key', waiting);
  const payload = { audio: { key: 'talk.mp3', filename: 'talk.mp3' }, language: 'en' };
  const result = await caption(
    mp3,
    payload,
    (stage, progress) => reports.push([stage, progress]),
    () => {},
  );
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
  expect(lines().slice(3)).toEqual(Array(4).fill('GET /workflows/captioner/run_1'));
  expect(waiting.pauses).toEqual([500, 1000, 1000, 1000]);
  expect(reports).toEqual([
    ['storage', 0],
    ['payload', 0],
    ['transcription', 0.5],
    ['workflow', 1],
  ]);
});

describe('on a terminal', () => {
  const { isTTY } = process.stderr;
  beforeEach(() => void (process.stderr.isTTY = true));
  afterEach(() => void (process.stderr.isTTY = isTTY));

  /** Follows a run through three looks; returns the words that are shown. */
  async function followed(heard: (Response | object)[]): Promise<string[]> {
    const mp3 = join(folder, 'talk.mp3');
    await writeFile(mp3, 'recording');
    const running = { finishedAt: null, stage: 'transcription', progress: 0.5 };
    const ended = { finishedAt: '2026-11-26T10:00:00Z', envelope: { result: {} } };
    const states: object[] = [running, running, running, ended];
    server.behave(({ method, url }) => {
      if (method === 'PUT') return status(201);
      if (method === 'POST') return Response.json({ runId: 'run_1' });
      if (!url.pathname.endsWith('/partial-transcript')) return Response.json(states.shift());
      const next = heard.shift() ?? {};
      return next instanceof Response ? next : Response.json(next);
    });
    const words: string[] = [];
    const { caption } = connect(new URL(server.origin), 'secret-key', noWaiting());
    const payload = { audio: { key: 'talk.mp3' } };
    await caption(
      mp3,
      payload,
      () => {},
      (text) => words.push(text),
    );
    return words;
  }
  const looks = () =>
    server.requests.flatMap(({ url }) =>
      url.pathname.endsWith('/partial-transcript') ? url.search : [],
    );

  test('new words are shown, from where the last ones ended', async () => {
    const words = await followed([
      { position: 0, parts: [] },
      { position: 2.5, parts: [{ text: 'one' }, { text: 'two' }] },
      { position: 4, parts: [{ text: 'three' }] },
    ]);
    expect(words).toEqual(['one', 'two', 'three']);
    expect(looks()).toEqual(['?after=0', '?after=0', '?after=2.5']);
  });

  test.each([
    ['has none', status(404)],
    ['answers something else', new Response('<html>')],
  ])('a server of an earlier version, which %s, is asked for words once', async (_, answer) => {
    expect(await followed([answer])).toEqual([]);
    expect(looks()).toEqual(['?after=0']);
  });
});
