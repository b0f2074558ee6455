import { expect, spyOn, test } from 'bun:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StageFailure, type FailureCode } from '../../server/contract/failure.ts';
import { createLog } from '../../server/log.ts';
import { perform, ProcessStopping, type StepContext } from '../../server/pipeline/perform.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

const fast = { attempts: 3, baseMs: 1, maxMs: 2 };

function context(signal = new AbortController().signal) {
  const kept = new Map<string, unknown>();
  const lines: string[] = [];
  const made: StepContext = {
    signal,
    log: createLog('warn', (line) => lines.push(line)),
    steps: {
      async run<T>(name: string, work: () => Promise<T>) {
        if (!kept.has(name)) kept.set(name, JSON.stringify(await work()));
        return JSON.parse(String(kept.get(name))) as T;
      },
    },
  };
  return { ...made, kept, lines };
}

const failure = (code: FailureCode, retryable: boolean) =>
  new StageFailure({ code, message: 'it failed', retryable, suggestions: [] });

test('a cancel takes precedence over the failure that it causes', async () => {
  const cancel = new AbortController();
  const work = async () => {
    cancel.abort(failure('cancelled', false));
    throw failure('provider_unavailable', true);
  };
  await expect(perform(context(cancel.signal), 'step', fast, work)).rejects.toMatchObject({
    failure: { code: 'cancelled' },
  });
});

test('retryable failures are retried', async () => {
  let calls = 0;
  const { value } = await perform(context(), 'step', fast, async () => {
    calls += 1;
    if (calls < 3) throw failure('provider_unavailable', true);
    return 'heard';
  });
  expect([value, calls]).toEqual(['heard', 3]);
});

test('other failures are not retried but stored: a replay fails in the same way without doing the work', async () => {
  const made = context();
  let calls = 0;
  const work = () =>
    perform(made, 'step', fast, async () => {
      calls += 1;
      throw failure('provider_unauthorized', false);
    });
  await expect(work()).rejects.toMatchObject({ failure: { code: 'provider_unauthorized' } });
  await expect(work()).rejects.toMatchObject({ failure: { code: 'provider_unauthorized' } });
  expect(calls).toBe(1);
});

test('an unexpected error is internal: logged, retried, and not shown', async () => {
  const made = context();
  let calls = 0;
  const outcome = perform(made, 'step', fast, async () => {
    calls += 1;
    throw new Error('secret path /etc/x');
  });
  await expect(outcome).rejects.toMatchObject({ failure: { code: 'internal', retryable: true } });
  await expect(outcome).rejects.not.toThrow('secret path');
  expect(calls).toBe(3);
  expect(made.lines.join('')).toContain('secret path');
});

test('a cancel ends the step immediately with its own failure', async () => {
  const controller = new AbortController();
  const outcome = perform(context(controller.signal), 'step', fast, async () => {
    controller.abort(failure('cancelled', false));
    throw new Error('killed');
  });
  await expect(outcome).rejects.toMatchObject({ failure: { code: 'cancelled' } });
});

test('a cancel during a pause ends the step with its own failure, which is stored', async () => {
  const controller = new AbortController();
  const made = context(controller.signal);
  const waiting = {
    ...noWaiting(),
    pause: async (_ms: number, signal?: AbortSignal) => {
      controller.abort(failure('cancelled', false));
      signal?.throwIfAborted();
    },
  };
  const outcome = perform({ ...made, waiting }, 'step', fast, () =>
    Promise.reject(failure('provider_unavailable', true)),
  );
  await expect(outcome).rejects.toMatchObject({ failure: { code: 'cancelled' } });
  expect([...made.kept.keys()]).toEqual(['step']);
});

test('a retry begins after the pause, which ends with the signal of the run', async () => {
  const { signal } = new AbortController();
  const events: unknown[] = [];
  const pause = async (_ms: number, given?: AbortSignal) => {
    events.push('pause', given === signal);
    await nextTurn();
    events.push('end');
  };
  const step = { ...context(signal), waiting: { ...noWaiting(), pause } };
  await perform(step, 'step', fast, async () => {
    events.push('work');
    if (events.length === 1) throw failure('provider_unavailable', true);
  });
  expect(events).toEqual(['work', 'pause', true, 'end', 'work']);
});

test('a stopping process records nothing, so that the step is repeated elsewhere', async () => {
  const controller = new AbortController();
  const made = context(controller.signal);
  const outcome = perform(made, 'step', fast, async () => {
    controller.abort(new ProcessStopping('the process is stopping'));
    throw new Error('killed');
  });
  const settled = await Promise.race([
    outcome.then(() => 'settled'),
    Bun.sleep(100).then(() => 'open'),
  ]);
  expect(settled).toBe('open');
  expect(made.kept.size).toBe(0);
});

test('the work of a cancelled run is not begun', async () => {
  const signal = AbortSignal.abort(failure('cancelled', false));
  let calls = 0;
  const outcome = perform(context(signal), 'step', fast, async () => (calls += 1));
  await expect(outcome).rejects.toMatchObject({ failure: { code: 'cancelled' } });
  expect(calls).toBe(0);
});

test('the pauses double up to the longest, with up to half of each left to chance', async () => {
  const waiting = noWaiting();
  const random = spyOn(Math, 'random');
  const pausesWith = async (chance: number) => {
    waiting.pauses.length = 0;
    random.mockReturnValue(chance);
    const retries = { attempts: 6, baseMs: 100, maxMs: 500 };
    await perform({ ...context(), waiting }, 'step', retries, () =>
      Promise.reject(failure('provider_unavailable', true)),
    ).catch(() => {});
    return waiting.pauses.slice();
  };
  expect(await pausesWith(1)).toEqual([100, 200, 400, 500, 500]);
  expect(await pausesWith(0)).toEqual([50, 100, 200, 250, 250]);
  random.mockRestore();
});

test('a retry is logged with its step, attempt and reason', async () => {
  const made = context();
  const retries = { ...fast, attempts: 2 };
  await perform({ ...made, waiting: noWaiting() }, 'audit', retries, () =>
    Promise.reject(failure('provider_unavailable', true)),
  ).catch(() => {});
  expect(made.lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'step_retried', step: 'audit', attempt: 1, code: 'provider_unavailable' },
  ]);
});
