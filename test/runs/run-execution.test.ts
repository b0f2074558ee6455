/**
 * One run in a worker: claimed once, counted while it computes, ended if it is poisoned or
 * cancelled.
 */
import { describe, expect, spyOn, test } from 'bun:test';
import { NO_OWN_TERMS } from '../../server/terminology/packs/own-terms.ts';
import { worker } from './executed-run.ts';

describe('a run', () => {
  test('uses the terms of its own workspace', async () => {
    const one = worker({ organizationId: 'org' });
    const asked: string[] = [];
    one.parts.workspace.ownTerms = async (of) => (asked.push(of), NO_OWN_TERMS);
    await one.execute();
    expect(new Set(asked)).toEqual(new Set(['org']));
  });

  test('that is claimed again starts only when its old execution has ended', async () => {
    const one = worker();
    const over = Promise.withResolvers<void>();
    const controller = new AbortController();
    one.parts.active.set('run_1', { entry: 'e1', controller, ended: over.promise });
    const again = one.execute('e1');
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect([controller.signal.aborted, one.taken()]).toEqual([true, 0]);
    over.resolve();
    await again;
    expect([one.taken(), one.finished.length]).toEqual([1, 1]);
  });

  test('is counted only while it computes', async () => {
    const one = worker();
    await one.execute();
    const [id, state, , , owed] = one.finished[0];
    expect([id, state, owed]).toEqual(['run_1', 'completed', null]);
    expect(one.deleted()).toEqual(['org', 'talk.mp3', 'v1']);
    // Counted and uncounted, one at a time: terms, words so far, joining, moderation, audit,
    // correction, captions.
    expect(one.counts).toEqual(Array.from({ length: 7 }, () => [1, 0]).flat());
    const stages = one.told.flatMap((m) => (m.type === 'computing' && m.counted ? [m.stage] : []));
    expect(stages).toEqual([
      'payload',
      'transcription',
      'transcription',
      'moderation',
      'terminology_audit',
      'correction',
      'captioning',
    ]);
    // These report the run's end to waiting clients and to the metrics.
    expect(one.told.filter(({ type }) => type === 'ended' || type === 'finished')).toMatchObject([
      { type: 'ended', runId: 'run_1' },
      { type: 'finished', state: 'completed' },
    ]);
    const begun = one.told.flatMap((m) => (m.type === 'computing' ? [m.id] : []));
    const over = one.told.flatMap((m) => (m.type === 'computed' ? [m.id] : []));
    expect(new Set(over)).toEqual(new Set(begun));
  });

  test.each([
    [0, false],
    [1, true],
  ])('during which a worker has died %d times computes alone: %p', async (attempts, alone) => {
    const one = worker({ attempts });
    const of = spyOn(one.parts.computations, 'of');
    await one.execute();
    expect(of.mock.calls).toEqual([['run_1', alone]]);
  });

  test('publishes recognised words', async () => {
    const one = worker();
    await one.execute();
    expect(one.heard.join(' ')).toBe('hello there. thank you all.');
  });

  test('announces words once they are stored', async () => {
    const one = worker();
    // Progress that is not stored is not announced.
    one.parts.store.report = () => Promise.reject(new Error('the database is away'));
    const changes = () => one.told.filter(({ type }) => type === 'changed').length;
    const before: number[] = [];
    one.parts.partial.add = async () => void before.push(changes());
    await one.execute();
    expect(before).toEqual(before.map((_, at) => at + 1));
    expect([before.length > 0, changes()]).toEqual([true, before.length + 1]);
  });

  test('that is in the queue twice is executed once; claimed again, it ends its old execution', async () => {
    const one = worker();
    const first = one.execute('e1').catch((error: unknown) => error);
    const { ended } = one.parts.active.get('run_1')!;
    await one.execute('another');
    expect(one.taken()).toBe(1);
    const again = one.execute('e1');
    expect(String(await first)).toContain('between two stages');
    expect(await ended.then(() => 'over')).toBe('over');
    await again;
    expect([one.taken(), one.finished.length, one.parts.active.size]).toEqual([2, 1, 0]);
  });

  test('that has ended is not executed', async () => {
    const one = worker();
    await one.execute();
    await one.execute();
    expect(one.finished.length).toBe(1);
  });

  test('that was cancelled before it started computes nothing', async () => {
    const one = worker({ cancelRequested: true, attempts: 3 });
    await one.execute();
    expect(one.finished[0][1]).toBe('cancelled');
    expect(one.counts).toEqual([]);
    expect(one.deleted()).toBeNull();
    expect(one.finished[0][2].metadata.storage?.sourceAudio.status ?? 'skipped').toBe('skipped');
  });

  test('whose third computation crashed its worker fails without a fourth', async () => {
    const second = worker({ attempts: 2 });
    await second.execute();
    expect(second.finished[0][1]).toBe('completed');
    const one = worker({ attempts: 3, stage: 'captioning' });
    await one.execute();
    const [, state, result] = one.finished[0];
    expect(state).toBe('failed');
    expect(result.error).toMatchObject({ code: 'internal', stage: 'captioning', runId: 'run_1' });
    expect(result.metadata.storage.sourceAudio.status).toBe('skipped');
    expect(one.counts).toEqual([]);
    const early = worker({ attempts: 3, stage: null });
    await early.execute();
    expect(early.finished[0][2].error).toMatchObject({ code: 'internal', stage: 'workflow' });
    expect(early.finished[0][3]).toEqual({ stage: null, progress: expect.any(Number) });
  });

  test('that is poisoned after transcription reports that its recording was deleted', async () => {
    const one = worker({ attempts: 3 });
    const retention = {
      key: 'talk.mp3',
      policy: 'delete_after_use',
      status: 'deleted',
      cleanupPhase: 'after_transcription',
    };
    const done = { startedAt: 1, endedAt: 2 };
    one.kept.set('audio', { ...done, value: { version: 'v1', size: 1 } });
    one.kept.set('clean up: after_transcription', { ...done, value: retention });
    await one.execute();
    expect(one.finished[0][2].metadata.storage.sourceAudio).toEqual(retention);
    expect(one.deleted()).toBeNull();
    const failed = worker({ attempts: 3 });
    failed.kept.set('audio', { ...done, value: { version: 'v1', size: 1 } });
    failed.kept.set('clean up: after_transcription', {
      ...done,
      value: { ...retention, status: 'failed' },
    });
    await failed.execute();
    expect(failed.deleted()).toEqual(['org', 'talk.mp3', 'v1']);
  });

  test('whose recording is missing fails with that reason', async () => {
    const one = worker();
    one.parts.audio.stat = async () => null;
    await one.execute();
    expect(one.finished[0][2].error).toMatchObject({ code: 'audio_not_found', stage: 'storage' });
    expect(one.deleted()).toBeNull();
  });

  test('whose recording could not be deleted has a pending deletion', async () => {
    const one = worker();
    one.failStore();
    await one.execute();
    const [, state, result, , owed] = one.finished[0];
    expect([state, owed]).toEqual(['completed', 'v1']);
    expect(result.metadata.storage.sourceAudio).toMatchObject({ status: 'failed' });
  });
});
