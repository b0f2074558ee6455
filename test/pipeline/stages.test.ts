/** The stages of a run: work that is repeated, stored steps, clean-up, and what a step can store. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FAILURE_CODES, type FailureCode, StageFailure } from '../../server/contract/failure.ts';
import { resolvePayload } from '../../server/contract/payload.ts';
import { SourceAudioRetention } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import { createLog } from '../../server/base/log.ts';
import { cleanUp } from '../../server/pipeline/clean-up.ts';
import {
  beforeStage,
  LOCAL_RETRIES,
  perform,
  ProcessStopping,
  RunInterrupted,
  RunTakenOver,
  type StepContext,
} from '../../server/pipeline/perform.ts';
import { storable } from '../../server/pipeline/storable.ts';
import { newRecord, type RunAudio, type RunRecord } from '../../server/pipeline/run.ts';
import { boundPayload } from '../../server/pipeline/bounded-payload.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { stagedRun } from './staged-run.ts';

/** Keeps the outputs of steps, as JSON; a step that is there is not done again. */
function context(signal = new AbortController().signal) {
  const kept = new Map<string, unknown>();
  const lines: string[] = [];
  const made: StepContext = {
    signal,
    waiting: noWaiting(),
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

const failure = (code: FailureCode, retryable = false) =>
  new StageFailure({ code, message: 'it failed', retryable, suggestions: [] });
const away = new StorageUnavailable('away', { cause: null });

test('a failure that may pass is retried', async () => {
  let calls = 0;
  const { value } = await perform(context(), 'step', LOCAL_RETRIES, async () => {
    calls += 1;
    if (calls < 3) throw failure('provider_unavailable', true);
    return 'heard';
  });
  expect([value, calls]).toEqual(['heard', 3]);
});

test('another is stored: a replay fails in the same way without doing the work', async () => {
  const made = context();
  let calls = 0;
  const work = () =>
    perform(made, 'step', LOCAL_RETRIES, async () => {
      calls += 1;
      throw failure('provider_unauthorized');
    });
  await expect(work()).rejects.toMatchObject({ failure: { code: 'provider_unauthorized' } });
  await expect(work()).rejects.toMatchObject({ failure: { code: 'provider_unauthorized' } });
  expect(calls).toBe(1);
});

test('an unexpected error is internal: logged, retried, and not shown', async () => {
  const made = context();
  let calls = 0;
  const outcome = perform(made, 'step', LOCAL_RETRIES, async () => {
    calls += 1;
    throw new Error('secret path /etc/x');
  });
  await expect(outcome).rejects.toMatchObject({ failure: { code: 'internal', retryable: true } });
  await expect(outcome).rejects.not.toThrow('secret path');
  expect(calls).toBe(3);
  expect(made.lines.join('')).toContain('secret path');
});

const cancelled = { failure: { code: 'cancelled' } };
const taken = new RunTakenOver('elsewhere');
test.each<[string, Error | null, Error, object, number]>([
  ['a cancel, whatever it causes', failure('cancelled'), failure('internal', true), cancelled, 1],
  ['a cancel during an outage of the storage', failure('cancelled'), away, cancelled, 1],
  ['an outage: the next worker repeats it', null, away, away, 0],
  ['another worker, which has the run', taken, taken, taken, 0],
])('a step is ended by %s', async (_, abort, thrown, expected, stored) => {
  const controller = new AbortController();
  const made = context(controller.signal);
  const outcome = perform(made, 'step', LOCAL_RETRIES, async () => {
    if (abort) controller.abort(abort);
    throw thrown;
  });
  await expect(outcome).rejects.toMatchObject(expected);
  expect(made.kept.size).toBe(stored);
});

test('a cancel during a pause ends the step with its own failure, which is stored', async () => {
  const controller = new AbortController();
  const made = context(controller.signal);
  const waiting = {
    ...noWaiting(),
    pause: async (_ms: number, signal?: AbortSignal) => {
      controller.abort(failure('cancelled'));
      signal?.throwIfAborted();
    },
  };
  const outcome = perform({ ...made, waiting }, 'step', LOCAL_RETRIES, () =>
    Promise.reject(failure('provider_unavailable', true)),
  );
  await expect(outcome).rejects.toMatchObject(cancelled);
  expect([...made.kept.keys()]).toEqual(['step']);
});

/** Whether a promise is still open after a few turns. */
const isOpen = async (promise: Promise<unknown>): Promise<boolean> => {
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    return 'open';
  };
  const settled = promise.then(
    () => 'done',
    () => 'failed',
  );
  return (await Promise.race([settled, turns()])) === 'open';
};

test('a stopping process records nothing, so that the step is repeated elsewhere', async () => {
  const controller = new AbortController();
  const made = context(controller.signal);
  const outcome = perform(made, 'step', LOCAL_RETRIES, async () => {
    controller.abort(new ProcessStopping('the process is stopping'));
    throw new Error('killed');
  });
  expect([await isOpen(outcome), made.kept.size]).toEqual([true, 0]);
  expect(await isOpen(beforeStage(controller.signal))).toBe(true);
});

test('the work of a cancelled run is not begun', async () => {
  const signal = AbortSignal.abort(failure('cancelled'));
  let calls = 0;
  const outcome = perform(context(signal), 'step', LOCAL_RETRIES, async () => (calls += 1));
  await expect(outcome).rejects.toMatchObject(cancelled);
  expect(calls).toBe(0);
});

test('before a stage, a run goes on unless it is cancelled or taken over', async () => {
  await beforeStage(new AbortController().signal);
  const cancel = beforeStage(AbortSignal.abort(failure('cancelled')));
  await expect(cancel).rejects.toMatchObject(cancelled);
  const interrupted = beforeStage(AbortSignal.abort(taken));
  await expect(interrupted).rejects.toBeInstanceOf(RunInterrupted);
  await expect(interrupted).rejects.toMatchObject({ cause: taken });
});

describe('clean up', () => {
  /** A store with one object, whose deletion fails so many times. */
  function object(failures = 0, error = new Error('the disk is read-only')) {
    let there = true;
    let left = failures;
    const audio: RunAudio = {
      key: 'talk.mp3',
      open: async () =>
        there ? { version: '1', source: { size: 1, read: () => null as never } } : null,
      delete: async (version) => {
        if (version !== '1') return false;
        if (left-- > 0) throw error;
        const was = there;
        there = false;
        return was;
      },
    };
    return { audio, there: () => there };
  }

  /** Cleans up after a run that has used its audio, unless told otherwise. */
  const cleaned = async (
    audio: RunAudio,
    record: Partial<RunRecord> = {},
    retain = false,
    phase: Parameters<typeof cleanUp>[3] = 'after_transcription',
  ) => {
    const storage = { retainSourceAudio: retain };
    const run = {
      runId: 'run_1',
      createdAt: 0,
      audio,
      request: resolvePayload({ audio: { key: audio.key }, storage }),
    };
    const found = { ...newRecord(), audioVersion: '1', audioConsumed: true, ...record };
    const done = await cleanUp(run, { ...context(), report: () => {} }, found, phase);
    expect(validator(SourceAudioRetention).issues(done)).toEqual([]);
    return done;
  };

  test('used audio is deleted; a deletion that failed is retried when the run ends', async () => {
    const { audio, there } = object(1);
    const failed = { status: 'failed', error: 'the disk is read-only' };
    expect(await cleaned(audio)).toMatchObject({ ...failed, cleanupPhase: 'after_transcription' });
    for (const phase of ['failure', 'success', 'moderation_blocked'] as const) {
      expect(await cleaned(audio, {}, false, phase)).toMatchObject({
        status: 'deleted',
        cleanupPhase: phase,
      });
    }
    expect(there()).toBe(false);
  });

  test('a failed deletion reports the code of the file system, without a path', async () => {
    const denied = Object.assign(new Error("EACCES: unlink '/data/secret'"), { code: 'EACCES' });
    expect(await cleaned(object(1, denied).audio)).toMatchObject({
      status: 'failed',
      error: 'EACCES',
    });
  });

  test('audio that transcription did not use is kept, and a newer upload under its key', async () => {
    const { audio, there } = object();
    expect(await cleaned(audio, { audioConsumed: false }, false, 'failure')).toMatchObject({
      policy: 'delete_after_use',
      status: 'skipped',
      cleanupPhase: 'failure',
    });
    expect(await cleaned(audio, { audioVersion: '0' })).toMatchObject({ status: 'skipped' });
    expect(there()).toBe(true);
  });

  describe.each(FAILURE_CODES)('a run that fails with %s before it looks at the audio', (code) => {
    test.each([
      [false, true, 'skipped', /kept for another run/],
      [true, true, 'retained', /retainSourceAudio/],
      [false, false, 'skipped', /No audio was found/],
      [true, false, 'skipped', /No audio was found/],
    ])('retain: %p, stored: %p', async (retainSourceAudio, stored, status, reason) => {
      const { result, deleted } = await stagedRun({
        payload: { storage: { retainSourceAudio } },
        version: () => (stored ? 'v7' : null),
        run: { ownTerms: () => Promise.reject(failure(code)) },
      });
      expect(result.error.code).toBe(code);
      expect(result.metadata.storage.sourceAudio).toEqual({
        key: 'talk.mp3',
        policy: retainSourceAudio ? 'retain' : 'delete_after_use',
        cleanupPhase: 'failure',
        status,
        reason: expect.stringMatching(reason),
      });
      expect(deleted).toEqual([]);
    });
  });

  test('the outcome is what is there: audio that is gone or was replaced is not said to be kept', async () => {
    const gone = { ...object().audio, open: async () => null };
    for (const [retain, audioConsumed] of [
      [true, true],
      [true, false],
      [false, false],
    ] as const) {
      expect(await cleaned(gone, { audioConsumed }, retain)).toMatchObject({
        status: 'skipped',
        reason: 'No audio was found under this key.',
      });
      const replaced = { audioConsumed, audioVersion: '0' };
      expect(await cleaned(object().audio, replaced, retain)).toMatchObject({
        status: 'skipped',
        reason: 'A newer upload has replaced the audio.',
      });
    }
    const broken = { ...gone, open: () => Promise.reject(new Error('EIO')) };
    expect(await cleaned(broken, { audioVersion: null })).toMatchObject({
      status: 'skipped',
      reason: 'The audio was left as it is.',
    });
  });
});

describe('outputs of steps that can be stored', () => {
  /** Nested arrays, as a response may contain them. */
  const nested = (depth: number, inner: unknown[] = []): unknown => {
    let value: unknown = inner;
    for (let i = 1; i < depth; i += 1) value = [value];
    return value;
  };
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
      : 0;

  test('a too large value loses its end, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 10, max: 300 }), (raw, most) => {
        const { value, cut } = boundPayload(raw, most);
        const size = Buffer.byteLength(JSON.stringify(value));
        expect(size).toBeLessThanOrEqual(most + 8 * depthOf(value) + 8);
        if (Buffer.byteLength(JSON.stringify(raw)) > most * 2) expect(cut).toBe(true);
      }),
      { numRuns: 300 },
    );
    const { value, cut } = boundPayload({ words: Array.from({ length: 1000 }, () => 1e20) }, 4000);
    expect(cut).toBe(true);
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(4100);
  });

  test('a too deeply nested value is omitted, and a field called __proto__ is a field', () => {
    const { value, cut } = boundPayload(nested(40_000), 1_000_000);
    expect([cut, depthOf(value)]).toEqual([true, 64]);
    expect(boundPayload(nested(64), 1000).cut).toBe(false);
    // The texts in place of what is too deep count as well.
    const many = nested(
      64,
      Array.from({ length: 1000 }, () => []),
    );
    expect(JSON.stringify(boundPayload(many, 1000).value).length).toBeLessThan(1200);
    const field = '{"__proto__":{"a":1}}';
    expect(JSON.stringify(boundPayload(JSON.parse(field), 1000).value)).toBe(field);
  });

  test('a step whose output cannot be stored fails once, finally', async () => {
    let done = 0;
    const failed = perform(context(), 'step', LOCAL_RETRIES, async () => {
      done += 1;
      return nested(100_000);
    });
    await expect(failed).rejects.toMatchObject({
      failure: { code: 'internal', retryable: false, message: expect.stringContaining('store') },
    });
    expect(done).toBe(1);
    expect(() => storable('x'.repeat(134_217_727))).toThrow(StageFailure);
  }, 300_000);
});
