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

test('a database that cannot be counted is down', async () => {
  const metrics = createMetrics(() => Promise.reject(new Error('away')));
  const text = await metrics.expose();
  expect(text).toContain('captioner_database_up 0');
});
