/** Retrying while the network or the service is unavailable. */
import { beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { unreachable, retrying } from '../../web/api/retry.ts';
import { ApiProblem, NoAnswer, readProblem } from '../../web/api/request.ts';

const stop = () => new AbortController();

/** Fails with each of these errors, then succeeds; the network comes back during the wait. */
function failing(...errors: Error[]) {
  const waiting = [...errors];
  const said: boolean[] = [];
  const attempt = async (): Promise<string> => {
    said.push(unreachable.value);
    const error = waiting.shift();
    if (!error) return 'done';
    ends.push(setTimeout(() => dispatchEvent(new Event('online'))));
    throw error;
  };
  return { attempt, said };
}

const ends: ReturnType<typeof setTimeout>[] = [];
beforeEach(() => {
  unreachable.value = false;
  for (const end of ends.splice(0)) clearTimeout(end);
});

test('a successful attempt is made once', async () => {
  const { attempt, said } = failing();
  expect(await retrying(stop().signal, attempt)).toBe('done');
  expect(said).toEqual([false]);
});

test('it reports that the service is unreachable, only while it is', async () => {
  const { attempt, said } = failing(new NoAnswer(), new NoAnswer());
  expect(await retrying(stop().signal, attempt)).toBe('done');
  expect(said).toEqual([false, true, true]);
  expect(unreachable.value).toBe(false);
});

test('a busy or failing service is retried, and does not count as unreachable', async () => {
  const busy = new ApiProblem(429, 'rate_limited', '', 60);
  const { attempt, said } = failing(busy, new ApiProblem(503, 'unavailable', ''));
  expect(await retrying(stop().signal, attempt)).toBe('done');
  expect(said).toEqual([false, false, false]);
});

test('a final refusal is thrown immediately', async () => {
  const refusal = new ApiProblem(403, 'forbidden', 'No.');
  const { attempt, said } = failing(new NoAnswer(), refusal);
  expect(await retrying(stop().signal, attempt).catch((error: unknown) => error)).toBe(refusal);
  expect(said).toEqual([false, true]);
  expect(unreachable.value).toBe(false);
});

test('a full workspace is reported immediately, because waiting does not free space', async () => {
  const full = new ApiProblem(429, 'quota_exceeded', '', 3600);
  const { attempt, said } = failing(full);
  expect(await retrying(stop().signal, attempt).catch((error: unknown) => error)).toBe(full);
  expect(said).toHaveLength(1);
});

test('so is an error unrelated to the service', async () => {
  const { attempt, said } = failing(new TypeError('a bug'));
  const thrown = await retrying(stop().signal, attempt).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TypeError);
  expect(said).toHaveLength(1);
});

test('an abort ends the wait', async () => {
  const controller = stop();
  const enough = new Error('enough');
  let tries = 0;
  const trying = retrying(controller.signal, async () => {
    tries += 1;
    setTimeout(() => controller.abort(enough));
    throw new NoAnswer();
  });
  expect(await trying.catch((error: unknown) => error)).toBe(enough);
  expect(tries).toBe(1);
});

describe('a wait that is cut short', () => {
  /** Waits after an error until `end` ends the wait; returns the remaining listeners. */
  async function waits(end: (controller: AbortController) => void) {
    const controller = stop();
    const timers = new Set<number>();
    const heard = new Set<unknown>();
    const started = spyOn(globalThis, 'setTimeout').mockImplementation((() => {
      timers.add(1);
      queueMicrotask(() => end(controller));
      return 1;
    }) as unknown as typeof setTimeout);
    const cleared = spyOn(globalThis, 'clearTimeout').mockImplementation(
      (timer) => void timers.delete(timer as number),
    );
    const spies = [globalThis, controller.signal].flatMap((target) => [
      spyOn(target, 'addEventListener').mockImplementation(((_: string, end: () => void) => {
        heard.add(end);
        EventTarget.prototype.addEventListener.call(target, _, end);
      }) as never),
      spyOn(target, 'removeEventListener').mockImplementation(((_: string, end: () => void) => {
        left.push(_);
        EventTarget.prototype.removeEventListener.call(target, _, end);
      }) as never),
    ]);
    const left: string[] = [];
    const errors: Error[] = [new NoAnswer()];
    try {
      const result = await retrying(controller.signal, async () => {
        const error = errors.shift();
        if (error) throw error;
        return 'done';
      }).catch((error: unknown) => error);
      return { result, timers: timers.size, heard: heard.size, left: left.toSorted() };
    } finally {
      for (const spy of [started, cleared, ...spies]) spy.mockRestore();
    }
  }

  test('leaves no timer, and listens to nothing any more', async () => {
    const enough = new Error('enough');
    const ended = { timers: 0, heard: 1, left: ['abort', 'online'] };
    expect(await waits((controller) => controller.abort(enough))).toEqual({
      result: enough,
      ...ended,
    });
    expect(await waits(() => dispatchEvent(new Event('online')))).toEqual({
      result: 'done',
      ...ended,
    });
  });
});

test('an aborted attempt does not count as a lost connection', async () => {
  const controller = stop();
  const enough = new Error('enough');
  const trying = retrying(controller.signal, async () => {
    controller.abort(enough);
    throw new NoAnswer();
  });
  expect(await trying.catch((error: unknown) => error)).toBe(enough);
  expect(unreachable.value).toBe(false);
});

describe('an error response', () => {
  test.each([
    ['the shape of runs', { error: { code: 'a', message: 'b' } }, 'a', 'b'],
    ['the shape of registration', { error: 'a', error_description: 'b' }, 'a', 'b'],
    ['no description', { error: 'a' }, 'a', ''],
  ])('%s', (_, body, code, message) => {
    const problem = readProblem(400, JSON.stringify(body), new Headers());
    expect([problem.status, problem.code, problem.message]).toEqual([400, code, message]);
    expect(problem.isPassing).toBe(false);
  });

  test('of an intermediary, with its own text', () => {
    const problem = readProblem(502, '<h1>Bad gateway</h1>', new Headers({ 'retry-after': '7' }));
    expect([problem.code, problem.retryAfter, problem.isPassing]).toEqual(['unknown', 7, true]);
  });

  test('an invalid Retry-After is ignored', () => {
    const headers = new Headers({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' });
    expect(readProblem(429, '{}', headers).retryAfter).toBeNull();
  });
});

test('pauses double from half a second to ten, start again after a response, and last as long as requested', async () => {
  const pauses: (number | undefined)[] = [];
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
    end: () => void,
    ms?: number,
  ) => {
    pauses.push(ms);
    queueMicrotask(end);
    return 0;
  }) as typeof setTimeout);
  try {
    const silent = Array.from({ length: 7 }, () => new NoAnswer());
    const busy = (seconds: number) => new ApiProblem(429, 'rate_limited', '', seconds);
    const errors: Error[] = [...silent, busy(60), busy(1), new NoAnswer()];
    await retrying(stop().signal, async (reached) => {
      const error = errors.shift();
      if (errors.length === 0) reached();
      if (error) throw error;
    });
  } finally {
    timers.mockRestore();
  }
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 60_000, 10_000, 500]);
});
