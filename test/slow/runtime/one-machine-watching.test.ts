/** Metrics and traces of a single machine. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { metricsOf, signUp, until } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { logged, removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { payload, provider } from '../blackbox/support.ts';

setDefaultTimeout(300_000);

const { deepgram, wire, env } = await provider();

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
