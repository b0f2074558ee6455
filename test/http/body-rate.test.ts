/** The rate at which a workspace may send JSON, with a simulated clock. */
import { describe, expect, test } from 'bun:test';
import { MESSAGE_BURST_BYTES, MESSAGE_BYTES_PER_SECOND } from '../../server/contract/limits.ts';
import {
  admitBody,
  chargeBody,
  createBodyRate,
  createBodyBudget,
} from '../../server/http/uploads/throttles.ts';
import { readBytes } from '../../server/http/json-body.ts';
import { Problem } from '../../server/http/problems.ts';

/** A clock that advances only while somebody waits. */
function pacedAt() {
  let time = 5000;
  const open = createBodyRate(
    {
      async pause(ms, signal) {
        signal?.throwIfAborted();
        time += ms;
      },
      deadline: AbortSignal.timeout,
    },
    () => time,
  );
  return {
    passed: () => time - 5000,
    wait: (ms: number) => void (time += ms),
    request(id: string, init: RequestInit = {}) {
      const request = new Request('http://host/mcp', { method: 'POST', ...init });
      open(request, id);
      return request;
    },
  };
}

describe('a workspace', () => {
  test('sends its burst immediately, and waits for the rest', async () => {
    const clock = pacedAt();
    for (let part = 0; part < 4; part += 1) {
      const request = clock.request('org_1');
      await admitBody(request);
      chargeBody(request, MESSAGE_BURST_BYTES / 2);
    }
    // Three halves are sent before the fourth, which waits until one of them is paid off.
    expect(clock.passed()).toBe((MESSAGE_BURST_BYTES / 2 / MESSAGE_BYTES_PER_SECOND) * 1000);
  });

  test('waits again if another of its requests was sent meanwhile', async () => {
    let time = 0;
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      if (pauses.push(ms) === 1) chargeBody(second, MESSAGE_BYTES_PER_SECOND);
      time += ms;
    };
    const open = createBodyRate({ pause, deadline: AbortSignal.timeout }, () => time);
    const [first, second] = [new Request('http://host/'), new Request('http://host/')];
    for (const request of [first, second]) open(request, 'org_1');
    chargeBody(first, MESSAGE_BURST_BYTES + 2 * MESSAGE_BYTES_PER_SECOND);
    await admitBody(first);
    expect(pauses).toEqual([2000, 1000]);
  });

  test('does not wait for others', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), MESSAGE_BURST_BYTES + MESSAGE_BYTES_PER_SECOND);
    await admitBody(clock.request('org_2'));
    expect(clock.passed()).toBe(0);
    await admitBody(clock.request('org_1'));
    expect(clock.passed()).toBe(1000);
  });

  test('can send its burst again after a while', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), 2 * MESSAGE_BURST_BYTES);
    clock.wait(60_000);
    await admitBody(clock.request('org_1'));
    expect(clock.passed()).toBe(60_000);
  });

  test('that would wait for more than ten seconds is refused', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), MESSAGE_BURST_BYTES + 11 * MESSAGE_BYTES_PER_SECOND);
    const problem = await admitBody(clock.request('org_1')).catch((error: unknown) => error);
    if (!(problem instanceof Problem)) throw new Error('was admitted');
    expect([problem.status, problem.code]).toEqual([503, 'unavailable']);
    expect(Number(problem.options.headers?.['retry-after'])).toBeGreaterThan(0);
  });

  test('stops waiting when its client disconnects', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), MESSAGE_BURST_BYTES + MESSAGE_BYTES_PER_SECOND);
    const gone = clock.request('org_1', { signal: AbortSignal.abort(new Error('gone')) });
    await expect(admitBody(gone)).rejects.toThrow('gone');
  });
});

test('a body is charged as it is read, whatever length it declares', async () => {
  const clock = pacedAt();
  const length = MESSAGE_BYTES_PER_SECOND / 4;
  const options = { maxBytes: length, share: createBodyBudget(2 * length).open() };
  chargeBody(clock.request('org_1'), MESSAGE_BURST_BYTES);
  const stream = new Blob(['a'.repeat(length)]).stream();
  await readBytes(clock.request('org_1', { body: stream }), options);
  expect(clock.passed()).toBe(0);
  await readBytes(clock.request('org_1', { body: 'a' }), options);
  expect(clock.passed()).toBeCloseTo(250, 0);
});

test('requests without a workspace are not counted', async () => {
  const request = new Request('http://host/agent/auth', { method: 'POST' });
  chargeBody(request, 1e12);
  await admitBody(request);
});
