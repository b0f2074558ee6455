/** The parts that stages share: retries, interruptions, spans after corrections, messages. */
import { describe, expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { createLog } from '../../server/log.ts';
import { applyAudit, auditTranscript } from '../../server/pipeline/audit.ts';
import { cleanUpAudio } from '../../server/pipeline/clean-up.ts';
import {
  beforeStage,
  LOCAL_RETRIES,
  perform,
  ProcessStopping,
  RunTakenOver,
} from '../../server/pipeline/perform.ts';
import {
  createPartialTranscript,
  type TranscriptPart,
} from '../../server/pipeline/partial-transcript.ts';
import { boundPayload } from '../../server/pipeline/raw-payload.ts';
import { RunInterrupted } from '../../server/pipeline/steps.ts';
import { audioTooLong, openAudio } from '../../server/pipeline/transcribe.ts';
import { buildTranscript } from '../../server/speech/transcript.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import type { Any } from '../support/servers/client.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

const cancelled = () =>
  new StageFailure({ code: 'cancelled', message: 'Cancelled.', retryable: false, suggestions: [] });

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
  test('pauses longer before each retry, within limits', async () => {
    const made = context();
    const many = { ...LOCAL_RETRIES, attempts: 9 };
    const failing = perform(made, 'step', many, () => Promise.reject(new Error('busy')));
    await expect(failing).rejects.toThrow();
    const { pauses } = made.waiting;
    expect(pauses).toHaveLength(8);
    for (const [at, pause] of pauses.entries()) {
      const whole = Math.min(5000, 200 * 2 ** at);
      expect(pause).toBeGreaterThanOrEqual(whole / 2);
      expect(pause).toBeLessThanOrEqual(whole);
    }
  });

  test('with a final failure is not retried, even if the failure may pass', async () => {
    let calls = 0;
    const made = context();
    const work = async () => {
      calls += 1;
      throw new StageFailure(
        { code: 'provider_unavailable', message: 'No.', retryable: true, suggestions: [] },
        { isFinal: true },
      );
    };
    await expect(perform(made, 'step', LOCAL_RETRIES, work)).rejects.toMatchObject({
      failure: { code: 'provider_unavailable' },
    });
    expect(calls).toBe(1);
    expect(made.stored).toHaveLength(1);
  });

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

  test('a message that has been sent is handled first', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(cancelled()));
    await expect(beforeStage(controller.signal)).rejects.toMatchObject({
      failure: { code: 'cancelled' },
    });
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

test('the length of a too long recording is given in hours, with parts of half the maximum', () => {
  const { message, suggestions } = audioTooLong(9000, 7200).failure;
  expect(message).toContain('more than 2.5 hours long. One run transcribes at most 2 hours.');
  expect(suggestions[0]?.description).toContain('-segment_time 3600 ');
  // Rounded down, so that the recording is in fact longer.
  expect(audioTooLong(10_799, 7200).failure.message).toContain('more than 2.9 hours long.');
});

test('a cut text in a raw payload keeps as much of its beginning as fits', () => {
  const { value, cut } = boundPayload('x'.repeat(1000), 600);
  expect(cut).toBe(true);
  expect(value).toBe('x'.repeat(100));
});

test('a preview starts with the recording, even if a service times its first word earlier', () => {
  const told: TranscriptPart[] = [];
  const soFar = createPartialTranscript({ after: 0, report: (parts) => told.push(...parts) });
  soFar.finish(0, [{ text: 'hello', start: -0.1, end: 0.4 }]);
  expect(told).toEqual([{ start: 0, end: 0.4, text: 'hello' }]);
});
