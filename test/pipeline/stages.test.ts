/** The stages of a run: work that is repeated, stored steps, clean-up, and the parts that stages share. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FAILURE_CODES, type FailureCode, StageFailure } from '../../server/contract/failure.ts';
import { SourceAudioRetention } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import { createLog } from '../../server/log.ts';
import { applyAudit, auditTranscript } from '../../server/pipeline/captioner-run.ts';
import { cleanUpAudio } from '../../server/pipeline/clean-up.ts';
import {
  beforeStage,
  LOCAL_RETRIES,
  perform,
  ProcessStopping,
  RunTakenOver,
  type StepContext,
  storable,
  RunInterrupted,
} from '../../server/pipeline/perform.ts';
import { boundPayload, openAudio } from '../../server/pipeline/transcribe.ts';
import type { RunAudio } from '../../server/pipeline/run.ts';
import { buildTranscript } from '../../server/speech/seams.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { stagedRun } from './staged-run.ts';
import type { Any } from '../support/servers/client.ts';

type CleanUpRequest = Parameters<typeof cleanUpAudio>[0];

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

describe('the parts that stages share', () => {
  const cancelled = () =>
    new StageFailure({
      code: 'cancelled',
      message: 'Cancelled.',
      retryable: false,
      suggestions: [],
    });

  function context(signal = new AbortController().signal) {
    const stored: unknown[] = [];
    const waiting = noWaiting();
    return {
      signal,
      log: createLog('silent'),
      waiting,
      stored,
      steps: {
        async run<T>(_name: string, work: () => Promise<T>) {
          const output = await work();
          stored.push(output);
          return output;
        },
      },
    };
  }

  describe('a step', () => {
    test('interrupted by a storage outage is repeated by the next worker: nothing is stored', async () => {
      const made = context();
      const away = new StorageUnavailable('away', { cause: null });
      await expect(perform(made, 'step', LOCAL_RETRIES, () => Promise.reject(away))).rejects.toBe(
        away,
      );
      expect(made.stored).toEqual([]);
    });

    test('of a run taken over by another worker stores nothing', async () => {
      const controller = new AbortController();
      const made = context(controller.signal);
      const work = async () => {
        controller.abort(new RunTakenOver('elsewhere'));
        controller.signal.throwIfAborted();
      };
      await expect(perform(made, 'step', LOCAL_RETRIES, work)).rejects.toBeInstanceOf(RunTakenOver);
      expect(made.stored).toEqual([]);
    });

    test('of a cancelled run ends as cancelled, even during a storage outage', async () => {
      const controller = new AbortController();
      const made = context(controller.signal);
      const work = async () => {
        controller.abort(cancelled());
        throw new StorageUnavailable('away', { cause: null });
      };
      await expect(perform(made, 'step', LOCAL_RETRIES, work)).rejects.toMatchObject({
        failure: { code: 'cancelled' },
      });
      expect(made.stored).toHaveLength(1);
    });
  });

  describe('before a stage', () => {
    const aborted = (reason: Error) => AbortSignal.abort(reason);

    test('a run continues unless it is cancelled or taken over', async () => {
      await beforeStage(new AbortController().signal);
      await expect(beforeStage(aborted(cancelled()))).rejects.toMatchObject({
        failure: { code: 'cancelled' },
      });
      await expect(beforeStage(aborted(new RunTakenOver('taken')))).rejects.toBeInstanceOf(
        RunInterrupted,
      );
    });

    test('a run of a stopping process waits for the end of the process', async () => {
      const waited = beforeStage(aborted(new ProcessStopping('stop'))).then(
        () => 'went on',
        () => 'failed',
      );
      const ticks = async () => {
        for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
        return 'waits';
      };
      expect(await Promise.race([waited, ticks()])).toBe('waits');
    });
  });

  test('utterances and paragraphs keep their starts after corrections', () => {
    const words = ['a', 'b', 'off', 'kit', 'rules', 'here'].map((text, at) => ({
      text,
      start: at,
      end: at + 0.5,
    }));
    const facts = { language: 'en', duration: 6, paragraphs: [0, 5] };
    const begins = (corrections: Any[], starts = [0, 2, 4]) => {
      const transcript = buildTranscript(words, { ...facts, utterances: starts });
      const { utterances, paragraphs } = applyAudit(transcript, { corrections } as Any);
      return [utterances, paragraphs].map((spans) => spans.map(({ firstWord }) => firstWord));
    };
    expect(begins([])).toEqual([
      [0, 2, 4],
      [0, 5],
    ]);
    const edit = { firstWord: 2, lastWord: 3, before: 'off kit', after: 'AuthKit' };
    expect(begins([{ ...edit, decision: 'accepted' }])).toEqual([
      [0, 2, 3],
      [0, 4],
    ]);
    // One that began with the second word of a term begins with the term.
    expect(begins([{ ...edit, decision: 'accepted' }], [0, 3])[0]).toEqual([0, 2]);
  });

  test('a transcript is audited in the language of the speech, not that of the request', async () => {
    const asked: unknown[] = [];
    const auditor = { audit: async ({ language }: Any) => void asked.push(language) };
    const request: Any = { language: 'auto', audit: { minConfidence: 0.85 } };
    const transcript = buildTranscript([], { language: 'de', duration: 1 });
    await auditTranscript({ auditor } as Any, transcript, { terms: [] } as Any, request, {} as Any);
    expect(asked).toEqual(['de']);
  });

  test('a recording is the one seen by an earlier step, also of a run that began with version 1.0', async () => {
    const audio: Any = { open: async () => ({ source: 'bytes', version: 'tag@1' }) };
    for (const seen of [undefined, 'tag@1', 'tag'])
      expect((await openAudio(audio, seen)).version).toBe('tag@1');
    for (const seen of ['tag@2', 'ta'])
      await expect(openAudio(audio, seen)).rejects.toMatchObject({
        failure: { code: 'audio_not_found' },
      });
  });

  test('a failed deletion reports the code of the file system, without a path', async () => {
    const denied = Object.assign(new Error("EACCES: unlink '/data/audio/secret'"), {
      code: 'EACCES',
    });
    const done = await cleanUpAudio({
      audio: { key: 'a.mp3', open: async () => null, delete: () => Promise.reject(denied) },
      retain: false,
      phase: 'success',
      version: '1',
      consumed: true,
    });
    expect(done).toMatchObject({ status: 'failed', error: 'EACCES' });
  });
});

describe('clean up', async () => {
  /** A store with one object whose deletion may fail. */
  function object(failures = 0) {
    let there = true;
    let left = failures;
    const audio: RunAudio = {
      key: 'talk.mp3',
      open: async () =>
        there ? { version: '1', source: { size: 1, read: () => null as never } } : null,
      delete: async (version) => {
        if (version !== '1') return false;
        if (left-- > 0) throw new Error('the disk is read-only');
        const was = there;
        there = false;
        return was;
      },
    };
    return { audio, there: () => there };
  }

  const cleanUp = async (request: Partial<CleanUpRequest> & { audio: RunAudio }) => {
    const done = await cleanUpAudio({
      retain: false,
      phase: 'after_transcription',
      version: '1',
      consumed: true,
      ...request,
    });
    expect(validator(SourceAudioRetention).issues(done)).toEqual([]);
    return done;
  };

  test('used audio is deleted', async () => {
    const { audio, there } = object();
    expect(await cleanUp({ audio })).toMatchObject({
      status: 'deleted',
      cleanupPhase: 'after_transcription',
    });
    expect(there()).toBe(false);
  });

  test('a failed deletion is retried when the run ends', async () => {
    const { audio, there } = object(1);
    const earlier = await cleanUp({ audio });
    expect(earlier).toMatchObject({ status: 'failed', error: 'the disk is read-only' });
    for (const phase of ['failure', 'success', 'moderation_blocked'] as const) {
      expect(await cleanUp({ audio, phase })).toMatchObject({
        status: 'deleted',
        cleanupPhase: phase,
      });
    }
    expect(there()).toBe(false);
  });

  test('audio that transcription did not use is kept, and the result says why', async () => {
    const { audio, there } = object();
    expect(await cleanUp({ audio, consumed: false, phase: 'failure' })).toMatchObject({
      policy: 'delete_after_use',
      status: 'skipped',
      cleanupPhase: 'failure',
    });
    expect(there()).toBe(true);
  });

  test('a newer upload under the same key is not deleted', async () => {
    const { audio, there } = object();
    expect(await cleanUp({ audio, version: '0' })).toMatchObject({ status: 'skipped' });
    expect(there()).toBe(true);
  });

  describe.each(FAILURE_CODES)('a run that fails with %s before it looks at the audio', (code) => {
    test.each([
      [false, true, 'skipped', /kept for another run/],
      [true, true, 'retained', /retainSourceAudio/],
      [false, false, 'skipped', /No audio was found/],
      [true, false, 'skipped', /No audio was found/],
    ])('retain: %p, stored: %p', async (retainSourceAudio, stored, status, reason) => {
      const failure = new StageFailure({ code, message: 'No.', retryable: false, suggestions: [] });
      const { result, deleted } = await stagedRun({
        payload: { storage: { retainSourceAudio } },
        version: () => (stored ? 'v7' : null),
        run: { ownTerms: () => Promise.reject(failure) },
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
    for (const [retain, consumed] of [
      [true, true],
      [true, false],
      [false, false],
    ] as const) {
      expect(await cleanUp({ audio: gone, retain, consumed })).toMatchObject({
        status: 'skipped',
        reason: 'No audio was found under this key.',
      });
      expect(
        await cleanUp({ audio: object().audio, retain, consumed, version: '0' }),
      ).toMatchObject({
        status: 'skipped',
        reason: 'A newer upload has replaced the audio.',
      });
    }
    const broken = { ...gone, open: () => Promise.reject(new Error('EIO')) };
    expect(await cleanUp({ audio: broken, version: null })).toMatchObject({
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

  test('a too deeply nested value is omitted', () => {
    const { value, cut } = boundPayload(nested(40_000), 1_000_000);
    expect([cut, depthOf(value)]).toEqual([true, 64]);
    expect(boundPayload(nested(64), 1000).cut).toBe(false);
    // The texts in place of what is too deep count as well.
    const many = nested(
      64,
      Array.from({ length: 1000 }, () => []),
    );
    expect(JSON.stringify(boundPayload(many, 1000).value).length).toBeLessThan(1200);
  });

  test('a step whose output cannot be stored fails once, finally', async () => {
    let done = 0;
    const context = {
      steps: { run: <T>(_name: string, work: () => Promise<T>) => work() },
      signal: new AbortController().signal,
      log: createLog('silent'),
    };
    const failure = await perform(context, 'step', LOCAL_RETRIES, async () => {
      done += 1;
      return nested(100_000);
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StageFailure);
    expect((failure as StageFailure).failure).toMatchObject({ code: 'internal', retryable: false });
    expect(done).toBe(1);
    expect(() => storable('x'.repeat(134_217_727))).toThrow(StageFailure);
  }, 300_000);
});
