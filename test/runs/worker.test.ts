/** A worker on the database, queue and folder of a web process: it takes runs, ends them and stops. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { sql } from 'kysely';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/base/log.ts';
import { ProcessStopping, type Steps } from '../../server/pipeline/perform.ts';
import { createComputations } from '../../server/runs/threads/computing.ts';
import type { FromWorker } from '../../server/runs/threads/messages.ts';
import { ThreadWatch } from '../../server/runs/threads/thread-watch.ts';
import { type RunServices, startRunServices } from '../../server/run-services.ts';
import { startWorker } from '../../server/runs/threads/worker.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { chunks } from '../storage/audio-store.suite.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/doubles/speech-doubles.ts';
import { type Any, until } from '../support/servers/client.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { createTranslators } from '../../server/translation/model-translator.ts';
import { honest } from '../support/doubles/translators.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { createRulesModerator } from '../../server/moderation/rules.ts';
import { executeRun } from '../../server/runs/threads/run-execution.ts';
import type { StoredRun } from '../../server/runs/store/run-store.ts';
import type { AudioStore } from '../../server/storage/audio.ts';
import { NO_OWN_TERMS } from '../../server/terminology/packs/compile.ts';
import { scriptedSpeech } from '../support/doubles/scripted-speech.ts';

setDefaultTimeout(300000);

/** Takes back the count of a run as soon as its computation is over. */
const AT_ONCE = (work: () => Promise<void>): Promise<void> => work();

/** A worker with one run, and the records of what happened to it. */
function worker(row: Partial<StoredRun> = {}) {
  const lines: Any[] = [];
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
  const stored = {
    id: 'run_1',
    organizationId: 'org',
    payload: { audio: { key: 'talk.mp3' } },
    stage: null,
    progress: 0,
    createdAt: Date.now(),
    cancelRequested: false,
    updatedAt: 0,
    attempts: 0,
    ...row,
  } as StoredRun;
  const finished: Any[] = [];
  const counts: number[] = [];
  let count = stored.attempts;
  let taken = 0;
  let deleted: unknown[] | null = null;
  let storeFails = false;
  const attempts = {
    count: async () => void counts.push((count += 1)),
    uncount: async () => void counts.push((count -= 1)),
  };
  const audio = {
    stat: async () => (deleted ? null : { size: 1, version: 'v1' }),
    read: async function* () {},
    delete: async (...what: unknown[]) => {
      if (storeFails) throw new Error('it is away');
      deleted = what;
      return true;
    },
  } as unknown as AudioStore;
  const parts: Parameters<typeof executeRun>[0] = {
    store: {
      markRunning: async () => {
        taken += 1;
        return finished.length > 0 ? null : stored;
      },
      report: async () => {},
      finish: async (...what) => void finished.push(what),
    },
    partial: {
      last: async () => ({ position: 0, end: 0 }),
      add: async () => {},
      read: async () => [],
    },
    audio,
    voices: { remembers: async () => false, note: async () => {} },
    pipeline: {
      packs: [],
      speech: scriptedSpeech('hello there. thank you all.'),
      auditors: createAuditorRegistry(),
      moderator: createRulesModerator(),
      logModeration: async () => ({ status: 'skipped' }),
    } as never,
    database: null as never,
    translators: createTranslators({}, honest(String)),
    workspace: { ownTerms: async () => NO_OWN_TERMS, noteRuleChanges: async () => {} },
    computations: createComputations(attempts, () => {}, log, AT_ONCE),
    active: new Map(),
    checksResults: true,
    log,
    post: () => {},
  };
  const kept = new Map<string, unknown>();
  const steps: Steps = {
    async run(name, work) {
      if (!kept.has(name)) kept.set(name, JSON.parse(JSON.stringify(await work())));
      return kept.get(name) as never;
    },
  };
  return {
    parts,
    lines,
    finished,
    counts,
    kept,
    execute: (entry = 'e1') => executeRun(parts, { runId: 'run_1', entry }, steps),
    taken: () => taken,
    deleted: () => deleted,
    failStore: () => (storeFails = true),
  };
}

describe('a worker on the database, queue and folder of a web process', async () => {
  const dataDir = await temporaryFolder();
  const lines: string[] = [];
  const log = createLog('debug', (line) => void lines.push(line));
  const config = readConfig({ DATA_DIR: dataDir });
  const web = await startRunServices({ ...config, role: 'web' }, log);
  const tempDir = join(dataDir, 'tmp', 'worker');
  await mkdir(tempDir, { recursive: true });
  const messages: FromWorker[] = [];
  const worker = await startWorker(config, {
    slots: 1,
    tempDir,
    log,
    post: (message) => void messages.push(message),
  });
  afterAll(async () => {
    await web.drain(0);
    await web.close();
    await removeFolder(dataDir);
  });

  async function* body() {
    yield Buffer.from('this is no MP3 at all');
  }
  const submit = (key: string) =>
    web.runs.submit({ organizationId: 'org', keyId: 'key', payload: { audio: { key } } });
  const stateOf = async (id: string) => (await web.runs.summary('org', id))!.state;
  const counted = async () =>
    (await web.database.selectFrom('audio_usage').select('bytes').execute()).map(
      (row) => row.bytes,
    );

  test('a run is taken, ended and freed, and its recording no longer counts', async () => {
    await web.audio.put('org', 'talk.mp3', body(), 21);
    expect(await counted()).toEqual([21]);
    const runId = await submit('talk.mp3');
    worker.wake();
    await until(async () => (await stateOf(runId)) === 'failed');
    await until(async () => messages.some(({ type }) => type === 'freed'));
    expect(JSON.parse((await web.runs.result(runId))!).error).toMatchObject({
      code: 'audio_unreadable',
      stage: 'transcription',
    });
    expect(await web.audio.stat('org', 'talk.mp3')).toBeNull();
    expect(await counted()).toEqual([]);
    const of = { runId };
    expect(messages.map(({ type }) => type)).toContain('changed');
    const computing = messages.filter((message) => message.type === 'computing');
    expect(computing.map(({ stage, counted: isCounted }) => [stage, isCounted])).toEqual([
      ['payload', true],
      ['payload', true],
      ['transcription', false],
      ['transcription', true],
    ]);
    // Each of them has ended, so that no later crash is blamed on it.
    for (const { id } of computing) expect(messages).toContainEqual({ type: 'computed', id });
    const outcome = new Set(['held', 'ended', 'finished', 'freed']);
    expect(messages.filter(({ type }) => outcome.has(type))).toMatchObject([
      { type: 'held', run: of },
      { type: 'ended', ...of },
      { type: 'finished', state: 'failed', timingsMs: { total: expect.any(Number) } },
      { type: 'freed', run: of },
    ]);
  });

  test('a stopped worker takes no more runs', async () => {
    await worker.stop(0, new ProcessStopping('the process is stopping'));
    messages.length = 0;
    const runId = await submit('talk.mp3');
    worker.wake();
    await Bun.sleep(50);
    expect([await stateOf(runId), messages]).toEqual(['queued', []]);
  });
});

describe('a worker whose runs wait for a provider', async () => {
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
  const dataDir = await temporaryFolder();
  const lines: Any[] = [];
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
  const config = readConfig({
    DATA_DIR: dataDir,
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
  });
  const tempDir = join(dataDir, 'tmp', 'worker');
  const reason = new ProcessStopping('the process is stopping');
  let web: RunServices;
  beforeAll(async () => {
    web = await startRunServices({ ...config, role: 'web' }, log);
    await mkdir(tempDir, { recursive: true });
    await web.audio.put('org', 'talk.mp3', chunks(chirp));
  });
  afterAll(async () => {
    await web.drain(0);
    await web.close();
    await deepgram.close();
    await removeFolder(dataDir);
  });

  const stateOf = async (id: string) => (await web.runs.summary('org', id))!.state;
  const submit = () =>
    web.runs.submit({
      organizationId: 'org',
      keyId: 'key',
      payload: {
        audio: { key: 'talk.mp3' },
        transcription: { provider: 'deepgram' },
        storage: { retainSourceAudio: true },
      },
    });

  /** Starts a worker for two runs at once, and records what it reports. */
  async function working() {
    const messages: FromWorker[] = [];
    const set = spyOn(globalThis, 'setInterval');
    const worker = await startWorker(
      { ...config, runsAtOnce: 2, workers: 1, runLeaseMs: 60_000 },
      { slots: 1, tempDir, log, post: (message) => void messages.push(message) },
    );
    const intervals = set.mock.calls.map(([, ms]) => ms);
    const [look] = set.mock.calls.findLast(([, ms]) => ms === 2000)!;
    set.mockRestore();
    return {
      worker,
      messages,
      intervals,
      isFreed: (id: string) => messages.some((one) => one.type === 'freed' && one.run.runId === id),
      /** Looks for cancels that were not announced. */
      look: look as () => void,
    };
  }

  /** Runs that wait for a provider that does not answer. */
  async function waiting(count: number) {
    const before = deepgram.requests.length;
    deepgram.behave(() => ({ fault: 'hang' }));
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) ids.push(await submit());
    const one = await working();
    await until(async () => deepgram.requests.length === before + Math.min(2, count));
    return { ...one, ids };
  }

  test('a worker takes as many runs as it may at once, for the time of its lease', async () => {
    const { worker, messages, intervals, ids } = await waiting(3);
    const held = messages.flatMap((message) =>
      message.type === 'held' ? [message.run.runId] : [],
    );
    expect(held.toSorted()).toEqual(ids.slice(0, 2).toSorted());
    const queue = openSqlite(join(dataDir, 'runs.sqlite'));
    const leases = queue
      .prepare(`select available_at as until from workflow_runs where status = 'running'`)
      .all();
    queue.close();
    expect(leases).toHaveLength(2);
    for (const lease of leases) {
      expect(Date.parse(String(lease['until'])) - Date.now()).toBeGreaterThan(30_000);
    }
    // It is extended three times within its minute.
    expect(intervals).toContain(20_000);
    for (const id of ids) {
      await web.runs.cancel((await web.runs.summary('org', id))!);
      worker.cancel(id);
    }
    await until(async () =>
      (await Promise.all(ids.map(stateOf))).every((it) => it === 'cancelled'),
    );
    await worker.stop(0, reason);
  });

  test('a cancel whose announcement was lost ends its run and no other, once the database answers', async () => {
    const { worker, ids, look } = await waiting(2);
    await web.runs.cancel((await web.runs.summary('org', ids[0]!))!);
    await sql`alter table runs rename to away`.execute(web.database);
    look();
    await until(async () => lines.some(({ event }) => event === 'cancellations_not_read'));
    await sql`alter table away rename to runs`.execute(web.database);
    expect(await stateOf(ids[0]!)).toBe('running');
    await until(async () => {
      look();
      return (await stateOf(ids[0]!)) === 'cancelled';
    });
    expect(await stateOf(ids[1]!)).toBe('running');
    worker.cancel(ids[1]!);
    await until(async () => (await stateOf(ids[1]!)) === 'cancelled');
    await worker.stop(0, reason);
  });

  test('a stopping worker hands its runs over; they have not failed', async () => {
    const { worker, isFreed, ids } = await waiting(1);
    lines.length = 0;
    await worker.stop(60, reason);
    expect(isFreed(ids[0]!)).toBe(true);
    expect([await stateOf(ids[0]!), lines]).toEqual(['running', []]);
    await web.database.deleteFrom('runs').execute();
  });

  test('a worker without time to stop ends its calls as well', async () => {
    const { worker } = await waiting(1);
    const abandoned = deepgram.abandoned();
    await worker.stop(0, reason);
    await until(async () => deepgram.abandoned() > abandoned);
    await web.database.deleteFrom('runs').execute();
  });
});

describe('one run in a worker', () => {
  describe('a run', () => {
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

    test('whose recording could not be deleted has a pending deletion', async () => {
      const one = worker();
      one.failStore();
      await one.execute();
      const [, state, result, , owed] = one.finished[0];
      expect([state, owed]).toEqual(['completed', 'v1']);
      expect(result.metadata.storage.sourceAudio).toMatchObject({ status: 'failed' });
    });
  });
});

describe('the end of a run, as stored and reported', () => {
  test.each([
    ['captioning', 'captioning'],
    [null, 'workflow'],
  ] as const)('a run poisoned in the stage %p fails in %p, with advice', async (stage, failed) => {
    const one = worker({ attempts: 3, stage, progress: 0.4, createdAt: Date.now() + 60_000 });
    await one.execute();
    const [, , result, reached, owed] = one.finished[0];
    expect(result).toMatchObject({
      status: 'failed',
      id: 'run_1',
      metadata: { timingsMs: { total: 0 }, models: {} },
    });
    expect(result.error).toMatchObject({
      code: 'internal',
      stage: failed,
      message: expect.stringContaining('tried 3 times'),
      retryable: false,
      suggestions: [{}, {}, {}],
      runId: 'run_1',
      debug: { attempts: 3 },
    });
    expect([reached, owed]).toEqual([{ stage, progress: 0.4 }, null]);
  });

  test('a run that is repeated after a crash does not go back, even if it fails', async () => {
    const one = worker({ progress: 0.97 });
    one.parts.pipeline.moderator = { moderate: () => Promise.reject(new Error('no')) } as never;
    await one.execute();
    expect(one.finished[0].slice(1, 4)).toMatchObject(['failed', {}, { progress: 0.97 }]);
  });

  test('a poisoned run does not end while its recording cannot be reached', async () => {
    const one = worker({ attempts: 3 });
    one.parts.audio.stat = () => Promise.reject(new StorageUnavailable('the store is away'));
    await expect(one.execute()).rejects.toThrow('the store is away');
    expect([one.finished, one.deleted()]).toEqual([[], null]);
  });

  test('a run ends only when its preview is stored, so that nothing of it is left behind', async () => {
    const one = worker();
    const order: string[] = [];
    one.parts.partial.add = async () => {
      for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
      order.push('preview');
    };
    one.parts.store.finish = async () => void order.push('end');
    await one.execute();
    expect(order).toEqual(['preview', 'end']);
  });

  test('a result that violates the contract fails the run, unless results are not checked', async () => {
    const broken = () => {
      const one = worker();
      one.parts.pipeline.moderator = { moderate: async () => ({ decision: 'perhaps' }) } as never;
      return one;
    };
    const checked = broken();
    checked.parts.audio.delete = () => Promise.reject(new Error('the store is away'));
    await checked.execute();
    const [, state, result, , owed] = checked.finished[0];
    // Its recording is still to be deleted.
    expect([state, result.status, owed]).toEqual(['failed', 'failed', expect.any(String)]);
    expect(result).toMatchObject({ id: 'run_1', input: { source: { key: 'talk.mp3' } } });
    expect(result.error).toMatchObject({
      code: 'internal',
      stage: 'workflow',
      retryable: true,
      suggestions: [{ label: 'Start the run again with the same payload' }],
    });
    const line = checked.lines.find(({ event }) => event === 'result_breaks_contract');
    expect(line.error.message).toContain('metadata.moderation.source is required');
    const unchecked = broken();
    unchecked.parts.checksResults = false;
    await unchecked.execute();
    expect(unchecked.finished[0][2].metadata.moderation).toMatchObject({ decision: 'perhaps' });
  });
});

describe('the computations of runs', () => {
  const log = createLog('silent');

  describe('computations', () => {
    test('that follow each other at once are counted once, also of several runs', async () => {
      const done: string[] = [];
      const attempts = {
        count: async (id: string) => void done.push(`+${id}`),
        uncount: async (ids: readonly string[]) => void done.push(`-${ids.join('-')}`),
      };
      const told: FromWorker[] = [];
      const due: (() => Promise<void>)[] = [];
      const later = (work: () => Promise<void>) => void due.push(work);
      const post = (message: FromWorker) => void told.push(message);
      const computations = createComputations(attempts, post, log, later);
      const watch = new ThreadWatch(() => null);
      const bystanders = () => {
        for (const message of told.splice(0)) watch.receive(message);
        return watch.bystanders();
      };
      for (const id of ['a', 'b', 'a']) await computations.of(id).compute('payload', () => 1);
      expect([done, due.length]).toEqual([['+a', '+b'], 1]);
      // If the thread dies now, both are counted through no fault of theirs.
      expect(bystanders().toSorted()).toEqual(['a', 'b']);
      await due[0]!();
      expect([done, bystanders()]).toEqual([['+a', '+b', '-a-b'], []]);
      // A run during which a worker has died is never counted for another one's computation.
      await computations.of('a').compute('payload', () => 1);
      await computations.of('c', true).compute('payload', () => done.push('c computes'));
      expect(done.slice(3)).toEqual(['+a', '-a', '+c', 'c computes', '-c']);
    });

    test('of a suspected run have the thread to themselves', async () => {
      const attempts = { count: async () => {}, uncount: async () => {} };
      const computations = createComputations(attempts, () => {}, log, AT_ONCE);
      const order: string[] = [];
      const work = (name: string) => async () => {
        order.push(`${name} begins`);
        await Bun.sleep(2);
        order.push(`${name} ends`);
      };
      const computed = [
        computations.of('well').compute('payload', work('well')),
        computations.of('suspected', true).compute('payload', work('suspected')),
        computations.of('later').compute('payload', work('later')),
        computations.of('latest').compute('payload', work('latest')),
      ];
      await Promise.all(computed);
      expect(order.slice(0, 4)).toEqual([
        'well begins',
        'well ends',
        'suspected begins',
        'suspected ends',
      ]);
      expect(order.slice(4, 6).toSorted()).toEqual(['later begins', 'latest begins']);
    });
  });
});
