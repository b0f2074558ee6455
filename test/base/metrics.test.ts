/** All that an operator sees in the metrics after a little of everything has happened. */
import { expect, test } from 'bun:test';
import { createMetrics } from '../../server/base/metrics.ts';

test('every metric, with its buckets and labels', async () => {
  const metrics = createMetrics(
    async () =>
      new Map([
        ['queued', 3],
        ['running', 2],
        ['completed', 40],
      ]),
    {
      captioner_queue_age_seconds: () => 12.5,
      captioner_disk_free_bytes: async () => 7,
      captioner_wal_bytes: () => Promise.reject(new Error('away')),
    },
  );
  metrics.runFinished('completed', { transcription: 4000, total: 70_000 });
  metrics.runFinished('failed', { transcription: 20, total: 8_000_000 }, 'provider_timeout');
  metrics.providerFailed('deepgram', 'provider_timeout');
  metrics.providerFailed('deepgram', 'provider_timeout');
  metrics.received(1000);
  metrics.received(24);
  metrics.uploading(1);
  metrics.uploading(1);
  metrics.uploading(-1);
  metrics.answered('GET', '/runs/:runId', 200, 0.003);
  metrics.answered('GET', '/runs/:runId', 200, 30);
  metrics.answered('POST', '/runs', 429, 0.2);
  const text = await metrics.expose();
  // Those of the process depend on the machine.
  const own = text.split('\n').filter((line) => /^(?:# \w+ )?captioner_/.test(line));
  expect(own.filter((line) => line.startsWith('# TYPE')).map((line) => line.slice(17))).toEqual([
    'runs_finished_total counter',
    'stage_seconds histogram',
    'run_failures_total counter',
    'provider_errors_total counter',
    'http_requests_total counter',
    'http_request_seconds histogram',
    'upload_bytes_total counter',
    'uploads_active gauge',
    'runs gauge',
    'queue_depth gauge',
    'database_up gauge',
    'event_loop_delay_seconds gauge',
    'queue_age_seconds gauge',
    'disk_free_bytes gauge',
    'wal_bytes gauge',
  ]);
  // Of each histogram the buckets around what was measured.
  for (const line of [
    'runs_finished_total{state="completed"} 1',
    'stage_seconds_bucket{le="1",stage="transcription"} 1',
    'stage_seconds_bucket{le="5",stage="transcription"} 2',
    'stage_seconds_bucket{le="7200",stage="total"} 1',
    'stage_seconds_sum{stage="transcription"} 4.02',
    'provider_errors_total{provider="deepgram",code="provider_timeout"} 2',
    'http_requests_total{method="GET",route="/runs/:runId",status="200"} 2',
    'http_requests_total{method="POST",route="/runs",status="429"} 1',
    'http_request_seconds_bucket{le="0.001",method="GET",route="/runs/:runId"} 0',
    'http_request_seconds_bucket{le="0.005",method="GET",route="/runs/:runId"} 1',
    'http_request_seconds_sum{method="GET",route="/runs/:runId"} 30.003',
    'upload_bytes_total 1024',
    'uploads_active 1',
    'runs{state="completed"} 40',
    'queue_depth 3',
    'run_failures_total{code="provider_timeout"} 1',
    'queue_age_seconds 12.5',
    'disk_free_bytes 7',
    'wal_bytes Nan',
    'database_up 1',
  ]) {
    expect(own).toContain(`captioner_${line}`);
  }
});

test('a database that cannot be counted is down, and says nothing about runs', async () => {
  let counts: Map<'queued' | 'running', number> | null = new Map([['running', 2]]);
  const metrics = createMetrics(async () => counts ?? Promise.reject(new Error('away')));
  const shown = async () => {
    const text = await metrics.expose();
    return text.split('\n').filter((line) => /^captioner_(?:runs\{|queue|database)/.test(line));
  };
  expect(await shown()).toEqual([
    'captioner_runs{state="running"} 2',
    'captioner_queue_depth 0',
    'captioner_database_up 1',
  ]);
  counts = new Map([['queued', 1]]);
  expect(await shown()).toContain('captioner_queue_depth 1');
  expect(await shown()).not.toContain('captioner_runs{state="running"} 2');
  counts = null;
  expect(await shown()).toEqual(['captioner_queue_depth Nan', 'captioner_database_up 0']);
});

test('documents are counted without a duration, and every count is of the whole time', async () => {
  const metrics = createMetrics(async () => new Map());
  metrics.answered('GET', '/docs', 200, 0);
  await metrics.expose();
  const text = await metrics.expose();
  expect(text).toContain(
    'captioner_http_requests_total{method="GET",route="/docs",status="200"} 1',
  );
  expect(text).not.toMatch(/captioner_http_request_seconds_count\{.*docs/);
});
