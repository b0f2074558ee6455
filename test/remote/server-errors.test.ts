/**
 * Errors of this server during a call, which must not be blamed on the service, and secrets in
 * responses.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { callJson } from '../../server/remote/call.ts';
import { failureOf } from '../../server/remote/failures.ts';
import { CallError } from '../../server/remote/call-error.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

setDefaultTimeout(300_000);

const double = await startHttpDouble(() => Response.json({ words: [] }));
afterAll(() => double.close());

test('an outage of the store during an upload is the service’s own error, and nothing is sent again', async () => {
  const away = new StorageUnavailable('the store is away');
  const waiting = noWaiting();
  let opened = 0;
  async function* recording(): AsyncIterable<Uint8Array> {
    opened += 1;
    yield new Uint8Array(1000);
    throw away;
  }
  const call = callJson({
    provider: 'deepgram',
    url: double.origin,
    body: recording,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    waiting,
  });
  expect(await call.catch((error: unknown) => error)).toBe(away);
  expect(opened).toBe(1);
  expect(waiting.pauses).toEqual([]);
  expect(double.requests).toEqual([]);
});

test.each([0, 1, 11, 12, 30])(
  'a key %p characters before the cut of a long response is not shown in part',
  (before) => {
    const key = 'k3y-of-a-server-0123456789';
    const answer = `${'x'.repeat(64 * 1024 - before)}${key} and more`;
    const fault = new CallError('provider_bad_response', { status: 400, answer });
    const callee = { provider: 'deepgram', reveal: true };
    const { failure } = failureOf(callee, fault, { authorization: `Token ${key}` });
    const raw = String(failure.debug?.['raw']);
    expect(raw).not.toContain('k3y');
    expect(raw.length).toBeLessThanOrEqual(64 * 1024);
    expect(raw).toStartWith('xxx');
  },
);
