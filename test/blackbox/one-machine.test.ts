/** One machine, as an operator sees it: full, stopped, pruned, watched, shared fairly. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DatabaseSync } from 'node:sqlite';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { WorkflowResultEnvelope } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import { client, ended, signUp, until, type Any, type Client } from '../support/client.ts';
import { startHttpDouble } from '../support/http-double.ts';
import { chirp } from '../support/pipeline-run.ts';
import { removeFolder, startServerProcess, temporaryFolder } from '../support/server-process.ts';
import { needsSmallDisk, smallDisk } from '../support/small-disk.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/speech-doubles.ts';

setDefaultTimeout(120_000);

const wire = deepgramWire(deepgramAnswer(TALK));
const deepgram = await startHttpDouble(wire);
afterAll(() => deepgram.close());
beforeEach(() => deepgram.behave(null));
const env = { DEEPGRAM_API_KEY: 'dg', DEEPGRAM_BASE_URL: deepgram.origin };

const payload = (key: string, more: Any = {}): Any => ({
  audio: { key },
  transcription: { provider: 'deepgram' },
  ...more,
});
const slowly = (ms: number) =>
  deepgram.behave(async (request) => {
    await Bun.sleep(ms);
    return wire(request);
  });
/** An upload whose body does not end. */
async function openUpload({ url, key }: Client, name: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `PUT /audio/${name} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: audio/mpeg\r\ncontent-length: ${chirp.length}\r\n\r\n`,
  );
  socket.write(chirp.subarray(0, 2000));
  return {
    finish: () => socket.write(chirp.subarray(2000)),
    break: () => socket.destroy(),
    answer: () => answer,
  };
}

describe('stopping', () => {
  test('a run that can finish within the grace does, and who waits for it gets it', async () => {
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    slowly(1500);
    const waiting = ann.caption(payload('talk.mp3'));
    await until(async () => deepgram.requests.length > 0);
    const stopping = server.stop();
    expect((await waiting).result.status).toBe('completed');
    expect(await stopping).toBe(0);
    await removeFolder(server.dataDir);
  });

  test('one that cannot goes on at the next start, within two seconds', async () => {
    const dataDir = await temporaryFolder();
    const first = await startServerProcess({ dataDir, env });
    const ann = await signUp(first, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    deepgram.behave(() => ({ fault: 'hang' }));
    const { runId } = await (await ann.start(payload('talk.mp3'))).json();
    await until(async () => (await ann.run(runId)).stage === 'transcription');
    expect(await first.stop()).toBe(0);
    deepgram.behave(null);
    const before = deepgram.requests.length;
    const second = await startServerProcess({ dataDir, env });
    await until(async () => deepgram.requests.length > before, 2000);
    const run = await ended(client(second.url, ann.key), runId);
    expect(run.state).toBe('completed');
    await second.stop();
    await removeFolder(dataDir);
  });

  test('kill -9 in an upload and in a run leaves nothing half-written behind', async () => {
    const dataDir = await temporaryFolder();
    const first = await startServerProcess({ dataDir, env });
    const ann = await signUp(first, 'ann@example.com');
    const upload = await openUpload(ann, 'half.mp3');
    const incoming = join(dataDir, 'audio', 'incoming');
    await until(async () => (await readdir(incoming)).length === 1);
    await first.kill();
    upload.break();
    const second = await startServerProcess({ dataDir, env });
    expect(await readdir(incoming)).toEqual([]);
    expect(
      (await readdir(join(dataDir, 'tmp'), { withFileTypes: true })).filter((entry) =>
        entry.isDirectory(),
      ),
    ).toHaveLength(1);
    await second.stop();
    await removeFolder(dataDir);
  });
});

describe('room', () => {
  test('uploads past the bound are told to come back', async () => {
    const server = await startServerProcess({ env: { ...env, UPLOADS_AT_ONCE: '2' } });
    const ann = await signUp(server, 'ann@example.com');
    const open = [await openUpload(ann, 'one.mp3'), await openUpload(ann, 'two.mp3')];
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
    await until(async () => (await metrics()).includes('captioner_uploads_active 2'));
    const refused = await ann.put('three.mp3', chirp);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await refused.json()).error.code).toBe('unavailable');
    open[0]?.finish();
    open[1]?.break();
    await until(async () => (await metrics()).includes('captioner_uploads_active 0'));
    expect(open[0]?.answer()).toContain('200 OK');
    expect((await ann.put('three.mp3', chirp)).status).toBe(200);
    await server.stop();
    await removeFolder(server.dataDir);
  });

  needsSmallDisk(
    'a full disk is 503, and no restart is needed when there is room again',
    async () => {
      const disk = await smallDisk('24m');
      const server = await startServerProcess({ dataDir: disk.path, env });
      const ann = await signUp(server, 'ann@example.com');
      await ann.put('talk.mp3', chirp);
      await disk.fill();
      const large = Buffer.concat(Array.from({ length: 300 }, () => chirp));
      const upload = await ann.put('large.mp3', large);
      expect([upload.status, upload.headers.get('retry-after')]).toEqual([503, '5']);
      const run = await until(async () => {
        const response = await ann.start(payload('talk.mp3'));
        return response.status !== 202 && response;
      });
      expect([run.status, (await run.json()).error.code]).toEqual([503, 'unavailable']);
      expect((await fetch(`${server.url}/auth.md`)).status).toBe(200);
      expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ ok: false });
      await disk.free();
      await ann.put('again.mp3', chirp);
      expect((await ann.caption(payload('again.mp3'))).result.status).toBe('completed');
      // What was accepted while there was hardly any room is not lost either.
      await until(async () => {
        const { runs } = await (await ann.get('/workflows/captioner?limit=100')).json();
        return runs.every(({ finishedAt }: Any) => finishedAt);
      });
      expect(await server.stop()).toBe(0);
      await disk.close();
    },
  );
});

describe('sharing', () => {
  test('who queues many runs does not keep another waiting', async () => {
    const server = await startServerProcess({ env: { ...env, RUNS_AT_ONCE: '1' } });
    const [greedy, modest] = [
      await signUp(server, 'greedy@example.com'),
      await signUp(server, 'modest@example.com'),
    ];
    slowly(50);
    const keep = { storage: { retainSourceAudio: true } };
    for (const one of [greedy, modest]) await one.put('talk.mp3', chirp);
    await Promise.all(Array.from({ length: 40 }, () => greedy.start(payload('talk.mp3', keep))));
    await modest.caption(payload('talk.mp3', keep));
    const { runs } = await (await greedy.get('/workflows/captioner?limit=100')).json();
    const waiting = runs.filter(({ state }: Any) => state === 'queued');
    expect(waiting.length).toBeGreaterThan(20);
    await server.kill();
    await removeFolder(server.dataDir);
  });
});

test('a run that still waits is cancelled at once, and keeps its audio', async () => {
  const server = await startServerProcess({ env: { ...env, RUNS_AT_ONCE: '1' } });
  const ann = await signUp(server, 'ann@example.com');
  deepgram.behave(() => ({ fault: 'hang' }));
  for (const key of ['first.mp3', 'second.mp3']) await ann.put(key, chirp);
  const first = await (await ann.start(payload('first.mp3'))).json();
  await until(async () => (await ann.run(first.runId)).stage === 'transcription');
  const { runId } = await (await ann.start(payload('second.mp3'))).json();
  const headers = { authorization: `Bearer ${ann.key}` };
  const path = `${server.url}/workflows/captioner/${runId}`;
  const run: Any = await (await fetch(path, { method: 'DELETE', headers })).json();
  expect(run.state).toBe('cancelled');
  expect(validator(WorkflowResultEnvelope).faults(run.envelope)).toEqual([]);
  expect(run.envelope.result.error.code).toBe('cancelled');
  deepgram.behave(null);
  await fetch(`${server.url}/workflows/captioner/${first.runId}`, { method: 'DELETE', headers });
  await ended(ann, first.runId);
  expect((await ann.caption(payload('second.mp3'))).result.status).toBe('completed');
  await server.stop();
  await removeFolder(server.dataDir);
});

describe('time', () => {
  test('audio, results and steps go when their time is over; what is in use stays', async () => {
    const server = await startServerProcess({
      env: { ...env, AUDIO_TTL: '3s', RESULT_TTL: '5s' },
    });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('kept.mp3', chirp);
    await ann.put('unused.mp3', chirp);
    await ann.put('used.mp3', chirp);
    const { _meta } = await ann.caption(
      payload('kept.mp3', { storage: { retainSourceAudio: true } }),
    );
    deepgram.behave(() => ({ fault: 'hang' }));
    const { runId } = await (await ann.start(payload('used.mp3'))).json();
    const recordings = async () =>
      (await readdir(join(server.dataDir, 'audio', 'objects'), { recursive: true })).filter(
        (name) => name.endsWith('.mp3'),
      ).length;
    expect(await recordings()).toBe(3);
    await until(async () => (await recordings()) === 1);
    await until(async () => (await ann.get(`/workflows/captioner/${_meta.runId}`)).status === 404);
    expect((await ann.run(runId)).state).toBe('running');
    expect(await (await fetch(`${server.url}/privacy.md`)).text()).toContain(
      'deleted 3 seconds after its upload',
    );
    await server.stop();
    const engine = new DatabaseSync(join(server.dataDir, 'runs.sqlite'));
    expect(engine.prepare('SELECT count(*) AS count FROM workflow_runs').get()).toEqual({
      count: 1,
    });
    engine.close();
    await removeFolder(server.dataDir);
  });
});

describe('watching', () => {
  test('metrics tell of runs, stages, the queue, uploads and providers that fail', async () => {
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    let calls = 0;
    deepgram.behave((request) =>
      (calls += 1) === 1 ? new Response('busy', { status: 503 }) : wire(request),
    );
    expect((await ann.caption(payload('talk.mp3'))).result.status).toBe('completed');
    const response = await fetch(`${server.url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await until(async () => {
      const now = await (await fetch(`${server.url}/metrics`)).text();
      return now.includes('captioner_runs_finished_total{state="completed"} 1') && now;
    });
    expect(text).toContain('captioner_runs{state="completed"} 1');
    expect(text).toContain('captioner_queue_depth 0');
    expect(text).toContain(`captioner_upload_bytes_total ${chirp.length}`);
    expect(text).toMatch(/captioner_stage_seconds_count\{stage="transcription"\} 1/);
    expect(text).toMatch(
      /captioner_provider_errors_total\{provider="deepgram",code="provider_unavailable"\} [1-9]/,
    );
    for (const line of server.log().split('\n').filter(Boolean)) JSON.parse(line);
    expect(server.log()).toMatch(/"event":"run_finished","runId":"run_[^"]+","state":"completed"/);
    await server.stop();
    await removeFolder(server.dataDir);
  });

  test('traces go where OTEL_ variables say: the request, the run, its steps, the provider', async () => {
    const spans: Buffer[] = [];
    const collector = await startHttpDouble(({ url, body }) => {
      if (url.pathname === '/v1/traces') spans.push(body);
      return new Response(null);
    });
    const server = await startServerProcess({
      env: {
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
        OTEL_BSP_SCHEDULE_DELAY: '200',
        OTEL_SERVICE_NAME: 'captions-of-ours',
      },
    });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('secret-name.mp3', chirp);
    await ann.caption(payload('secret-name.mp3'));
    const all = () => Buffer.concat(spans).toString('latin1');
    const expected = [
      'captions-of-ours',
      'POST /workflows/captioner',
      'PUT /audio/',
      'workflow_run.create',
      'workflow_run.execute',
      'step_attempt.execute',
      'deepgram',
    ];
    await until(async () => expected.every((name) => all().includes(name)));
    expect(all()).not.toContain('secret-name');
    expect(all()).not.toContain(ann.key);
    expect(await server.stop()).toBe(0);
    await removeFolder(server.dataDir);
    await collector.close();
  });
});
