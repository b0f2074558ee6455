/** The real timer, as far as a test can notice it without waiting. */
import { describe, expect, test } from 'bun:test';
import { realTime } from '../server/concurrency.ts';

const LONG_MS = 60_000;

describe('a pause', () => {
  test('ends by itself', async () => {
    await realTime.pause(1);
    await realTime.pause(1, new AbortController().signal);
  });

  test('ends with the reason for which it is no longer wanted, before it or during it', async () => {
    const reason = new Error('the run was cancelled');
    const before = AbortSignal.abort(reason);
    expect(await realTime.pause(LONG_MS, before).catch((error: unknown) => error)).toBe(reason);
    const abort = new AbortController();
    const paused = realTime.pause(LONG_MS, abort.signal).catch((error: unknown) => error);
    abort.abort(reason);
    expect(await paused).toBe(reason);
  });
});

test('a deadline aborts once it is over', async () => {
  const soon = realTime.deadline(1);
  await new Promise((resolve) => soon.addEventListener('abort', resolve));
  expect(soon.reason).toMatchObject({ name: 'TimeoutError' });
  expect(realTime.deadline(LONG_MS).aborted).toBeFalse();
});
