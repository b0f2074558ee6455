/** A single machine: what limits it, how it stops or is killed, and what its operators see of it. */
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { type Any, client, ended, metricsOf, signUp, until } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import {
  logged,
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { needsSmallDisk, smallDisk } from '../../support/servers/small-disk.ts';
import { openUpload, payload, provider } from '../blackbox/support.ts';

setDefaultTimeout(300000);

const { deepgram, wire, env, slowly } = await provider();

describe('space', () => {
  needsSmallDisk(
    'a full disk is 503, and no restart is needed when there is room again',
    async () => {
      const disk = await smallDisk('24m');
      const server = await startServerProcess({
        dataDir: disk.path,
        env: { ...env, DISK_RESERVE: '0' },
      });
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
      // Runs accepted while space was short are not lost either.
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
  test('a workspace that queues many runs does not hold up another', async () => {
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

describe('time', () => {
  test('expired audio, results and steps are deleted, except those in use', async () => {
    const server = await startServerProcess({
      env: { ...env, AUDIO_TTL: '10s', RESULT_TTL: '5s' },
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
      'deleted 10 seconds after their upload',
    );
    const queue = new DatabaseSync(join(server.dataDir, 'runs.sqlite'), { readOnly: true });
    const kept = queue.prepare('SELECT count(*) AS count FROM workflow_runs');
    await until(async () => kept.get()?.['count'] === 1);
    await server.stop();
    expect(kept.get()).toEqual({ count: 1 });
    queue.close();
    await removeFolder(server.dataDir);
  });
});

describe('stopping', () => {
  test('a run that finishes within the grace time is returned to the waiting client', async () => {
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    slowly(1500);
    const before = deepgram.requests.length;
    const waiting = ann.caption(payload('talk.mp3'));
    await until(async () => deepgram.requests.length > before);
    const stopping = server.stop();
    expect((await waiting).result.status).toBe('completed');
    expect(await stopping).toBe(0);
    await removeFolder(server.dataDir);
  });

  test('other runs continue at the next start, long before their leases end', async () => {
    const dataDir = await temporaryFolder();
    const leased = { ...env, RUN_LEASE: '20m' };
    const first = await startServerProcess({ dataDir, env: leased });
    const ann = await signUp(first, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    deepgram.behave(() => ({ fault: 'hang' }));
    const { runId } = await (await ann.start(payload('talk.mp3'))).json();
    await until(async () => (await ann.run(runId)).stage === 'transcription');
    expect(await first.stop()).toBe(0);
    deepgram.behave(null);
    const before = deepgram.requests.length;
    const second = await startServerProcess({ dataDir, env: leased });
    await until(async () => deepgram.requests.length > before);
    const run = await ended(client(second.url, ann.key), runId);
    expect(run.state).toBe('completed');
    await second.stop();
    await removeFolder(dataDir);
  });

  test('kill -9 during an upload or a run leaves no partial files', async () => {
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

describe('monitoring', () => {
  test('metrics cover runs, stages, the queue, uploads and provider errors', async () => {
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    let calls = 0;
    deepgram.behave((request) =>
      (calls += 1) === 1 ? new Response('busy', { status: 503 }) : wire(request),
    );
    expect((await ann.caption(payload('talk.mp3'))).result.status).toBe('completed');
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const text = await until(async () => {
      const now = await metricsOf(server);
      return now.includes('captioner_runs_finished_total{state="completed"} 1') && now;
    });
    expect(text).toContain('captioner_runs{state="completed"} 1');
    expect(text).toContain('captioner_queue_depth 0');
    expect(text).toContain(`captioner_upload_bytes_total ${chirp.length}`);
    expect(text).toMatch(/captioner_stage_seconds_count\{stage="transcription"\} 1/);
    expect(text).toMatch(
      /captioner_provider_errors_total\{provider="deepgram",code="provider_unavailable"\} [1-9]/,
    );
    const lines = await logged(server, '"run_finished"');
    for (const line of lines) JSON.parse(line);
    expect(lines.join('\n')).toMatch(
      /"event":"run_finished","runId":"run_[^"]+","state":"completed"/,
    );
    deepgram.behave(() =>
      Response.json({ err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.' }, { status: 401 }),
    );
    await ann.put('talk.mp3', chirp);
    const failed = await ann.caption(payload('talk.mp3'));
    expect(failed.result.error).not.toHaveProperty('said');
    const failedLines = await logged(server, '"run_failed"');
    const line = failedLines.find((each) => each.includes('"run_failed"'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      runId: failed._meta.runId,
      workspace: ann.organizationId,
      code: 'provider_unauthorized',
      stage: 'transcription',
      provider: 'deepgram',
      status: 401,
      said: 'Invalid credentials.',
    });
    expect(server.log()).not.toContain(DEEPGRAM_KEY);
    await server.stop();
    await removeFolder(server.dataDir);
  });

  test('traces of requests, runs, steps and provider calls go where the OTEL_ variables say', async () => {
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
