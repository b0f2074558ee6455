/** The smaller parts of runs: counts of one run alone, a cancel before the start, previews in order, and thread time. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolvePayload, type CaptionerPayload } from '../../server/contract/payload.ts';
import { assertResult } from '../../server/pipeline/result.ts';
import { cancelledBeforeStart } from '../../server/runs/cancelled.ts';
import { createRunAttempts } from '../../server/runs/run-attempts.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';
import { ownThreadId, threadTime } from '../../server/runs/thread-time.ts';
import { watchUpdates } from '../../server/runs/watch.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { needs } from '../support/requirements.ts';

await onEachDatabase((title, database) => {
  describe(title, () => {
    const store = createRunStore(database);
    const attempts = createRunAttempts(database);
    const newRun = async () => {
      const id = `run_${crypto.randomUUID()}`;
      const payload = { audio: { key: 'talk.mp3' } };
      await store.insert({ id, organizationId: 'org', keyId: 'k', payload, idempotencyKey: null });
      return id;
    };

    test('a computation is counted for its own run, with its stage, and never below zero', async () => {
      const [one, other] = [await newRun(), await newRun()];
      const counts = async () =>
        Promise.all(
          [one, other].map(async (id) => {
            const run = (await store.get(id))!;
            return [run.attempts, run.stage];
          }),
        );
      await attempts.count(one, 'moderation');
      await attempts.count(one);
      await attempts.count(other);
      expect(await counts()).toEqual([
        [2, 'moderation'],
        [1, null],
      ]);
      await attempts.uncount(one);
      expect(await counts()).toEqual([
        [1, 'moderation'],
        [1, null],
      ]);
      for (let at = 0; at < 2; at += 1) await attempts.uncount(one);
      expect(await counts()).toEqual([
        [0, 'moderation'],
        [1, null],
      ]);
    });

    test('cancels are read for the runs that are asked for', async () => {
      const queries = createRunQueries(database);
      const [one, other, third] = [await newRun(), await newRun(), await newRun()];
      await store.requestCancel(one);
      await store.requestCancel(other);
      expect(await queries.cancelRequested([one, third])).toEqual([one]);
      expect((await store.getSummary(third))!.cancelRequested).toBe(false);
    });
  });
});

describe('a run that is cancelled before its start', () => {
  const ended = (payload: CaptionerPayload, createdAt = Date.now() - 5000) =>
    cancelledBeforeStart({ id: 'run_7', payload, createdAt } as RunSummary) as any;

  test('has a result with its request, its time and the reason why its recording is kept', () => {
    const payload = { audio: { key: 'talk.mp3' }, language: 'de' };
    const result = ended(payload);
    assertResult(result);
    expect(result).toMatchObject({
      id: 'run_7',
      status: 'failed',
      error: { code: 'cancelled', stage: 'payload', retryable: false },
      input: { language: 'de' },
    });
    const { total, ...others } = result.metadata.timingsMs;
    expect(total).toBeGreaterThanOrEqual(5000);
    expect(total).toBeLessThan(60_000);
    expect(Object.values(others).every((time) => time === 0)).toBe(true);
    expect(result.metadata.storage.sourceAudio).toEqual({
      key: 'talk.mp3',
      policy: resolvePayload(payload).storage.retainSourceAudio ? 'retain' : 'delete_after_use',
      cleanupPhase: 'failure',
      status: 'skipped',
      reason: 'The run had not started, so the audio is kept for another run.',
    });
  });

  test.each([
    [true, 'retain'],
    [false, 'delete_after_use'],
  ])('states the policy for its recording: retained %p', (retainSourceAudio, policy) => {
    const result = ended({ audio: { key: 'a.mp3' }, storage: { retainSourceAudio } });
    expect(result.metadata.storage.sourceAudio.policy).toBe(policy);
  });

  test('does not take a negative time if the clock was set back', () => {
    const result = ended({ audio: { key: 'a.mp3' } }, Date.now() + 60_000);
    expect(result.metadata.timingsMs.total).toBe(0);
  });
});

test('a watched run is reported with its preview, a hundred parts at a time and each once', async () => {
  const asked: number[][] = [];
  const run = (state: string, finishedAt: number | null) =>
    ({ id: 'run_7', organizationId: 'org', state, stage: null, progress: 0, finishedAt }) as never;
  const states = [run('running', null), run('running', null), run('completed', 1)];
  let closed = 0;
  const runs = {
    watch: () => ({ next: async () => {}, close: () => void (closed += 1) }),
    summary: async () => states.shift()!,
    heard: async (_: unknown, after: number, most: number) => {
      asked.push([after, most]);
      const left = Math.min(most, 150 - after);
      return Array.from({ length: left }, (_each, at) => ({
        position: after + at + 1,
        start: 0,
        end: 1,
        text: 'so',
      }));
    },
  };
  const seen: (string | number)[] = [];
  const { signal } = new AbortController();
  const asking = { organizationId: 'org', id: 'run_7' };
  for await (const update of watchUpdates(runs, asking, 20, signal)) {
    seen.push('run' in update ? update.run.state : update.heard.position);
  }
  expect(asked).toEqual([
    [20, 100],
    [120, 100],
    [150, 100],
  ]);
  expect(seen).toEqual([
    'running',
    ...Array.from({ length: 130 }, (_, at) => at + 21),
    'completed',
  ]);
  expect(closed).toBe(1);
});

describe('watching a run', () => {
  const watching = async (
    run: { finishedAt: number | null } | null,
    { signal, heard = 0, position = 0 }: { signal: AbortSignal; heard?: number; position?: number },
    seen: () => void = () => {},
  ) => {
    let [closed, waited, updates] = [0, 0, 0];
    const runs = {
      watch: () => ({
        next: async () => void ((waited += 1) > 3 && (await Promise.reject(new Error('late')))),
        close: () => void (closed += 1),
      }),
      summary: async () => run as never,
      heard: async () =>
        Array.from({ length: heard }, (_each, at) => ({
          position: at + 1,
          start: 0,
          end: 1,
          text: 'so',
        })),
    };
    const asking = { organizationId: 'org', id: 'run_7' };
    const failure = await (async () => {
      for await (const _ of watchUpdates(runs, asking, position, signal)) {
        updates += 1;
        seen();
      }
      return null;
    })().catch((error: Error) => error.message);
    return { failure, updates, waited, closed };
  };

  test('that does not exist ends without an update', async () => {
    const { signal } = new AbortController();
    expect(await watching(null, { signal })).toEqual({
      failure: null,
      updates: 0,
      waited: 0,
      closed: 1,
    });
  });

  test('ends with the reason of its signal, before any update and between the parts', async () => {
    const run = { finishedAt: null };
    const signal = AbortSignal.abort(new Error('gone'));
    const ended = { failure: 'gone', waited: 0, closed: 1 };
    expect(await watching(run, { signal })).toEqual({ ...ended, updates: 0 });
    const gone = new AbortController();
    const leave = () => gone.abort(new Error('gone'));
    const left = await watching(run, { signal: gone.signal, heard: 5 }, leave);
    expect(left).toEqual({ ...ended, updates: 1 });
  });
});

const onLinux = needs(process.platform === 'linux', 'only Linux tells the time of a thread');

onLinux('the time of a thread is that in which it computed, in milliseconds', () => {
  const own = ownThreadId()!;
  const before = threadTime(own)!;
  const used = process.cpuUsage();
  const until = performance.now() + 20_000;
  while (threadTime(own)! - before < 20 && performance.now() < until) Math.sqrt(before);
  const passed = threadTime(own)! - before;
  const { user, system } = process.cpuUsage(used);
  expect(passed).toBeGreaterThanOrEqual(20);
  // It is no more than that of all threads, but for its steps of 10 ms.
  expect(passed).toBeLessThanOrEqual((user + system) / 1000 + 20);
  expect(threadTime(2 ** 30)).toBeNull();
});

onLinux('the time of a thread includes that of the system for it', () => {
  const own = ownThreadId()!;
  // The times of the thread and of the system for it, in hundredths of a second (proc(5)).
  const times = () => {
    const stat = readFileSync(`/proc/self/task/${own}/stat`, 'utf8');
    const [user, system] = stat
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return { user: user! * 10, system: system! * 10 };
  };
  const until = performance.now() + 20_000;
  while (times().system < 20 && performance.now() < until) times();
  const { user, system } = times();
  expect(threadTime(own)).toBeGreaterThanOrEqual(user + system);
});
