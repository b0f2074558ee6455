/** All that an operator sees in the metrics after a little of everything has happened. */
import { expect, test } from 'bun:test';
import { createMetrics } from '../server/metrics.ts';
import { expectKeptIn } from './support/kept.ts';

/** `OUTLINES=write npm test -- test/metrics.test.ts` updates metrics.txt. */
test('every metric, with its buckets and labels', async () => {
  const metrics = createMetrics(
    async () =>
      new Map([
        ['queued', 3],
        ['running', 2],
        ['completed', 40],
      ]),
  );
  metrics.runFinished('completed', { transcription: 4000, total: 70_000 });
  metrics.runFinished('failed', { transcription: 20, total: 8_000_000 });
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
  expectKeptIn(new URL('outlines/', import.meta.url), 'metrics', own);
  expect(own.length).toBeGreaterThan(50);
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
