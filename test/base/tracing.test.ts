/** Tracing: which spans reach the collector, and what they say. */
import { context, propagation, trace } from '@opentelemetry/api';
import { afterAll, describe, expect, test } from 'bun:test';
import { nameRequest, traceRequests } from '../../server/http/route-table.ts';
import { traced } from '../../server/base/telemetry.ts';
import type { Tracing } from '../../server/base/tracing-settings.ts';
import { startTracing } from '../../server/base/tracing.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';

const collector = await startHttpDouble(() => new Response(null));
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const ATTRIBUTES = 'OTEL_RESOURCE_ATTRIBUTES';
process.env[ENDPOINT] = collector.origin;
process.env[ATTRIBUTES] = 'deployment.environment=rehearsal';
afterAll(async () => {
  delete process.env[ENDPOINT];
  delete process.env[ATTRIBUTES];
  await collector.close();
});

/** The bytes that the collector gets while work is traced; texts in them are readable. */
async function collected(tracing: Partial<Tracing>, work: () => Promise<unknown>): Promise<string> {
  const all = { sampler: 'parentbased_always_on', ratio: 1, delayMs: 60_000 } as const;
  const telemetry = startTracing({ ...all, ...tracing });
  try {
    await work();
  } finally {
    await telemetry.stop();
    for (const part of [trace, context, propagation]) part.disable();
  }
  const bodies = collector.requests.splice(0).map(({ body }) => body);
  return Buffer.concat(bodies).toString('latin1');
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
/** A request whose sender traces it, or has decided not to. */
const request = (isSampled: boolean): Request =>
  new Request('http://localhost/runs/run_1', {
    method: 'DELETE',
    headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-0${Number(isSampled)}` },
  });
const answered = (isSampled = true) =>
  traceRequests(async () => {
    nameRequest('DELETE /runs/{id}');
    await traced('call deepgram', { attempt: 1 }, async () => {});
    return new Response(null, { status: 207 });
  })(request(isSampled));

describe('a traced request', () => {
  test('continues the trace of its sender, and is named by its route', async () => {
    const spans = await collected({}, answered);
    expect(spans).toContain(Buffer.from(TRACE, 'hex').toString('latin1'));
    for (const text of ['captioner', 'rehearsal', 'DELETE /runs/{id}', 'call deepgram']) {
      expect(spans).toContain(text);
    }
    expect(spans).not.toContain('run_1');
    // The name is followed by the kind (field 6): SERVER, which has the number 2.
    expect(spans).toContain('DELETE /runs/{id}\x30\x02');
    expect(spans).toContain('http.request.method\x12\x08\x0a\x06DELETE');
    // The status as a number of the format: a tag, then 207 in two bytes.
    expect(spans).toContain('http.response.status_code\x12\x03\x18\xcf\x01');
  });

  test('is not sent if its sender has decided so, unless the operator wants all', async () => {
    const unsampled = () => answered(false);
    expect(await collected({}, unsampled)).toBe('');
    expect(await collected({ sampler: 'always_on' }, unsampled)).toContain('DELETE /runs/{id}');
  });
});

describe('a trace of our own', () => {
  /** A status (field 15) with the code ERROR. */
  const FAILED = '\x7a\x02\x18\x02';
  const work = () => traced('call deepgram', {}, async () => {});

  test.each<[Tracing['sampler'], number, boolean]>([
    ['always_on', 0, true],
    ['always_off', 1, false],
    ['parentbased_always_off', 1, false],
    ['traceidratio', 1, true],
    ['traceidratio', 0, false],
    ['parentbased_traceidratio', 0, false],
  ])('with %s and the ratio %d is sent: %p', async (sampler, ratio, isSent) => {
    const spans = await collected({ sampler, ratio }, work);
    expect(spans.includes('call deepgram')).toBe(isSent);
  });

  test('says that work failed, and the work fails as it would without the span', async () => {
    const failing = () => traced('call deepgram', {}, () => Promise.reject(new Error('no credit')));
    const spans = await collected({}, async () => {
      await expect(failing()).rejects.toThrow('no credit');
    });
    expect(spans).toContain(FAILED);
    expect(await collected({}, work)).not.toContain(FAILED);
    expect(spans).not.toContain('no credit');
  });
});
