/**
 * Kills a process that captions four recordings at once, before or after one of its calls and writes, and then its
 * successor at another moment: the first kill goes through the boundaries of the steps, from the first to the last. What
 * is outside of a process stays: databases, recordings, what providers were asked. No run is lost or done twice, and no
 * stored answer is paid for again. `FUZZ=42` does it with ten thousand runs.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../../server/base/log.ts';
import { createRulesModerator } from '../../../server/moderation/rules.ts';
import { createWorkspaceTerminology } from '../../../server/learning/learn.ts';
import { createAuditorRegistry } from '../../../server/language/registry.ts';
import { createComputations } from '../../../server/runs/threads/computing.ts';
import { prepareQueue, queueOn } from '../../../server/runs/queue/openworkflow-queue.ts';
import { openPostgresStore } from '../../../server/runs/queue/openworkflow-postgres.ts';
import { openSqliteStore } from '../../../server/runs/queue/openworkflow-sqlite.ts';
import { createVoiceStore } from '../../../server/voices/voice-store.ts';
import { createPartialTranscripts } from '../../../server/runs/store/partial-transcripts.ts';
import { createResultQuota } from '../../../server/runs/store/result-quota.ts';
import { createRunAttempts } from '../../../server/runs/store/run-attempts.ts';
import { createLocalRunEvents } from '../../../server/runs/store/run-events.ts';
import { executeRun } from '../../../server/runs/threads/run-execution.ts';
import { createRunQueries } from '../../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../../server/runs/store/run-store.ts';
import { createRuns } from '../../../server/runs/service.ts';
import { createWatches } from '../../../server/runs/store/watches.ts';
import type { AudioStore } from '../../../server/storage/audio.ts';
import { migrateDatabase, openDatabase } from '../../../server/storage/database.ts';
import { createTranslators } from '../../../server/translation/model-translator.ts';
import { honest } from '../../support/doubles/translators.ts';
import { scriptedSpeech, spoken } from '../../support/doubles/scripted-speech.ts';
import { rounds } from '../../support/fuzz.ts';
import { needsPostgres, startPostgres } from '../../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { openSqlite } from '../../../server/storage/sqlite.ts';
import { openPostgresPool } from '../../../server/storage/postgres.ts';
import { WHOLE_RESULT } from '../../../server/storage/run-texts.ts';

setDefaultTimeout(rounds(600_000));

/** The runs of a round, which share their process. */
const AT_ONCE = 4;
const TALK = ['welcome to the meetup.', 'tonight we talk about keys.', 'thank you all.'];
/** Each piece is transcribed, and the transcript is audited. */
const CALLS = TALK.length + 1;
const ORGANIZATION = 'org';

const named = (round: string): string[] =>
  Array.from({ length: AT_ONCE }, (_, at) => `${round} ${at}`);

/** A state directly between two calls of the process. */
type Boundary = string;

/** Counts the boundaries that a process passes, and ends it at one of them. */
function createFate(endsAt: number) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const passed: Boundary[] = [];
  let isOver = false;
  const calls = { underWay: 0 };
  /** Never goes on in a process that has ended. */
  const pass = async (boundary: Boundary): Promise<void> => {
    if (!isOver) passed.push(boundary);
    if (passed.length === endsAt && !isOver) {
      isOver = true;
      end();
    }
    if (isOver) await new Promise(() => {});
  };
  return {
    passed,
    ended,
    pass,
    /** Makes methods of a part that return promises end with the process. */
    bind<T extends object>(part: T, methods: readonly string[], name = ''): T {
      return new Proxy(part, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          if (!methods.includes(String(key))) return value.bind(target);
          return async (...args: unknown[]) => {
            await pass(`before ${name}${String(key)}`);
            calls.underWay += 1;
            try {
              return await value.apply(target, args);
            } finally {
              calls.underWay -= 1;
              await pass(`after ${name}${String(key)}`);
            }
          };
        },
      });
    },
    /** Waits for what the process had begun: databases finish a statement even if nobody waits for it. */
    async settled() {
      while (calls.underWay > 0) await Bun.sleep(1);
    },
  };
}

/** What a store has to offer: its two databases, how a process is cut off from it, and a look from outside. */
interface Place {
  databaseUrl: string;
  queueLocation: string;
  /** The address of the service's database for a look that no process's end disturbs. */
  outside: string;
  /** Ends the connections of a process that died, and lets its leases expire. */
  cutOff(): Promise<void>;
  /** Rows of the queue's database. */
  queued(sql: string): Promise<Record<string, unknown>[]>;
}

const entryOf = (runId: string): string =>
  `select status from openworkflow.workflow_runs where idempotency_key = '${runId}'`;

/** The steps of the run with an id that are stored. */
const storedSteps = async ({ queued }: Place, runId: string): Promise<string[]> =>
  (
    await queued(
      `select s.step_name as name from openworkflow.step_attempts s
       join openworkflow.workflow_runs w on w.id = s.workflow_run_id
       where w.idempotency_key = '${runId}' and s.status = 'completed'`,
    )
  ).map(({ name }) => String(name));

/** What is outside of every process: recordings, and the accounts of the providers. */
function createWorld(place: Place) {
  const recordings = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const paidTwice: string[] = [];
  const audio = {
    stat: async (_of: string, key: string) =>
      recordings.has(key) ? { size: recordings.get(key)!.length, version: '1' } : null,
    async *read(_of: string, key: string) {
      yield recordings.get(key)!;
    },
    delete: async (_of: string, key: string) => recordings.delete(key),
  } as unknown as AudioStore;
  return {
    recordings,
    audio,
    asked,
    paidTwice,
    /** Answers a paid call about a run. */
    async pay(runId: string, step: string) {
      asked.push(`${runId} ${step}`);
      if ((await storedSteps(place, runId)).includes(step)) paidTwice.push(`${runId} ${step}`);
    },
  };
}

type World = ReturnType<typeof createWorld>;

/** Starts a process that submits and executes runs, as far as its fate lets it. */
async function startProcess(place: Place, world: World, endsAt = Infinity) {
  const fate = createFate(endsAt);
  const log = createLog('silent');
  const isFile = place.queueLocation !== place.databaseUrl;
  if (isFile) await prepareQueue(place.queueLocation);
  const database = openDatabase(place.databaseUrl, {
    answersRequests: false,
    beforeWrite: () => fate.pass('before a statement'),
  });
  const store = isFile
    ? openSqliteStore(place.queueLocation, { answersRequests: false })
    : await openPostgresStore(place.queueLocation);
  const backend = fate.bind(
    store.backend,
    [
      'createWorkflowRun',
      'claimWorkflowRun',
      'extendWorkflowRunLease',
      'completeWorkflowRun',
      'failWorkflowRun',
      'rescheduleWorkflowRunAfterFailedStepAttempt',
      'createStepAttempt',
      'listStepAttempts',
      'completeStepAttempt',
      'failStepAttempt',
    ],
    'queue: ',
  );
  const waiting = new Map<string, () => void>();
  const queue = queueOn({ ...store, backend }, log, {
    // Longer than the test, because nothing that a process does at times goes on after its end.
    leaseMs: 3_600_000,
    holding: { held() {}, freed: ({ runId }) => waiting.get(runId)?.() },
  });
  const events = createLocalRunEvents();
  events.subscribe(({ type }) => type === 'queued' && queue.wake());
  const rows = createRunStore(database);
  const queries = createRunQueries(database);
  const runs = createRuns({
    store: rows,
    queries,
    partial: createPartialTranscripts(database),
    resultQuota: createResultQuota(database, null),
    queue,
    events,
    watches: createWatches(events, async () => new Map(), log, 2 ** 30),
    log,
  });
  const speech = scriptedSpeech(TALK.join(' '));
  const provider = speech.provider('edge')!;
  const auditor = createAuditorRegistry().auditor('none')!;
  const runOf = async (source: { read(): AsyncIterable<Uint8Array> }) =>
    new TextDecoder().decode(Buffer.concat(await Array.fromAsync(source.read())));
  const idOf = async (key: string) =>
    (await rows.byIdempotencyKey(ORGANIZATION, key))?.id ?? 'unknown';
  const pieces = TALK.map((_, index) => ({ index, start: 20 * index, end: 20 * index + 20 }));
  const calls = fate.bind(
    {
      async transcribe(...[source, { index }]: Parameters<typeof provider.transcribe>) {
        await world.pay(await idOf(await runOf(source)), `piece ${index}`);
        const words = spoken(TALK[index]!).map((word) => ({
          ...word,
          start: word.start + 20 * index,
          end: word.end + 20 * index,
        }));
        return { words, speech: [] };
      },
      async audit(...[request, context]: Parameters<typeof auditor.audit>) {
        await world.pay(context.runId ?? 'unknown', 'audit');
        return auditor.audit(request, context);
      },
    },
    ['transcribe', 'audit'],
    'provider: ',
  );
  const parts: Parameters<typeof executeRun>[0] = {
    store: rows,
    partial: createPartialTranscripts(database),
    voices: createVoiceStore(database),
    audio: fate.bind(world.audio, ['stat', 'delete'], 'audio: '),
    pipeline: {
      packs: [],
      speech: {
        ...speech,
        provider: () => ({
          ...provider,
          plan: async () => ({
            duration: 60,
            pieces: pieces.slice(0, 2),
            engine: { provider: 'edge', model: 'scripted' },
            next: 2,
          }),
          planMore: async () => ({ pieces: pieces.slice(2) }),
          transcribe: (...args) => calls.transcribe(...args),
        }),
      },
      auditors: {
        configured: ['edge', 'none'],
        auditor: () => ({ name: 'edge', audit: calls.audit }),
      },
      moderator: createRulesModerator(),
      logModeration: async () => ({ status: 'skipped' }),
    },
    database,
    translators: createTranslators({}, honest(String)),
    workspace: createWorkspaceTerminology(database, log),
    computations: createComputations(createRunAttempts(database), () => {}, log),
    active: new Map(),
    checksResults: false,
    log,
    post: () => {},
  };
  await queue.work(AT_ONCE, (run, steps) => executeRun(parts, run, steps));
  return {
    fate,
    /** Submits the run of a recording, unless an earlier process has; returns once it has ended and left the queue. */
    async caption(key: string): Promise<string> {
      // What was stored but not queued is queued by the next process.
      await runs.recover(Date.now() + 1);
      const runId = await runs.submit({
        organizationId: ORGANIZATION,
        keyId: 'key',
        payload: { audio: { key } },
        idempotencyKey: key,
      });
      for (;;) {
        const { promise: freed, resolve } = Promise.withResolvers<void>();
        waiting.set(runId, resolve);
        queue.wake();
        const [entry] = await place.queued(entryOf(runId));
        if (entry?.['status'] === 'completed') return runId;
        await freed;
      }
    },
    /** Ends the process as it is. */
    async kill() {
      await fate.settled();
      await place.cutOff();
      await Promise.all([store.close(), database.destroy()]);
    },
    prune: () => queue.prune(Date.now() + 60_000),
    stop: () => queue.stop(0).then(() => database.destroy()),
  };
}

/** A number from 0 up to but not including `below` that depends on a seed alone. */
const drawn = (seed: number, below: number): number =>
  Math.floor((Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1) * below);

/** Captions that many recordings, and expects that each was captioned once. */
async function simulate(place: Place, runs: number): Promise<void> {
  const world = createWorld(place);
  const look = openDatabase(place.outside);
  await look
    .insertInto('webhooks')
    .values({
      id: 'hook',
      organization_id: ORGANIZATION,
      key_id: 'key',
      url: 'https://hooks.example',
      events: JSON.stringify(['run.completed', 'run.failed', 'run.blocked']),
      secret: 'secret',
      created_at: 0,
    })
    .execute();
  /** Captions a few recordings at once, in processes that end at the given boundaries, and in a last one. */
  const caption = async (keys: readonly string[], kills: readonly number[]) => {
    for (const key of keys) world.recordings.set(key, new TextEncoder().encode(key));
    let boundaries: Boundary[] = [];
    let died = 0;
    for (const endsAt of [...kills, Infinity]) {
      const process = await startProcess(place, world, endsAt);
      // It may also end while it stops.
      const done = Promise.all(keys.map(process.caption)).then(process.stop);
      done.catch(() => {});
      const isDone = await Promise.race([done.then(() => true), process.fate.ended]);
      boundaries = process.fate.passed;
      if (isDone) break;
      died += 1;
      await process.kill();
    }
    return { boundaries, died };
  };
  /** What is left of a recording. */
  const leftOf = async (key: string) => {
    const rows = await look
      .selectFrom('runs')
      .select(['id', 'state', WHOLE_RESULT])
      .where('idempotency_key', '=', key)
      .execute();
    const id = rows[0]?.id ?? '';
    const entries = await place.queued(entryOf(id));
    const deliveries = await look
      .selectFrom('webhook_deliveries')
      .select('event')
      .where('run_id', '=', id)
      .execute();
    return {
      states: rows.map(({ state }) => state),
      srt: JSON.parse(rows[0]?.result ?? '{}').captions?.srt,
      entries: entries.map(({ status }) => status),
      deliveries: deliveries.map(({ event }) => event),
      isRecordingLeft: world.recordings.has(key),
    };
  };

  const { boundaries } = await caption(named('undisturbed'), []);
  const expected = await leftOf('undisturbed 0');
  expect(expected).toEqual({
    states: ['completed'],
    srt: expect.stringContaining('thank you all.'),
    entries: ['completed'],
    deliveries: ['run.completed'],
    isRecordingLeft: false,
  });
  expect(world.asked).toHaveLength(AT_ONCE * CALLS);

  const times = runs / AT_ONCE;
  let [kills, before] = [0, world.asked.length];
  for (let at = 0; at < times; at += 1) {
    // The first kill goes through all boundaries, the second comes anywhere.
    const first = 1 + Math.floor((at * boundaries.length) / times);
    const second = 1 + drawn(at, boundaries.length);
    const keys = named(`round ${at}`);
    kills += (await caption(keys, [first, second])).died;
    for (const key of keys) {
      const left = await leftOf(key);
      if (Bun.deepEquals(left, expected)) continue;
      const where = `${key}, killed at ${first} (${boundaries[first - 1]}) and ${second}`;
      throw new Error(`${where}: ${JSON.stringify(left)}`);
    }
  }
  expect(world.paidTwice).toEqual([]);
  // Two pieces of a run are transcribed at once.
  const lost = world.asked.length - before - runs * CALLS;
  expect(lost).toBeLessThanOrEqual(2 * AT_ONCE * kills);
  const last = await startProcess(place, world);
  while ((await last.prune()) > 0);
  await last.stop();
  const steps = await place.queued('select id from openworkflow.step_attempts');
  expect([steps, await place.queued('select id from openworkflow.workflow_runs')]).toEqual([
    [],
    [],
  ]);
  console.log(
    `${runs} runs, ${kills} kills at ${boundaries.length} boundaries: 0 lost, 0 doubled, 0 paid twice ` +
      `(${lost} answers were lost on the way to their store)`,
  );
  await look.destroy();
}

test('on SQLite', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const [databaseUrl, queueLocation] = [join(folder, 'a.sqlite'), join(folder, 'b.sqlite')];
  await migrateDatabase(databaseUrl, () => prepareQueue(queueLocation));
  const look = openSqlite(queueLocation);
  const queued = async (sql: string) =>
    look.prepare(sql.replaceAll('openworkflow.', '')).all() as Record<string, unknown>[];
  const place = { databaseUrl, queueLocation, outside: databaseUrl, queued };
  await simulate({ ...place, cutOff: async () => {} }, rounds(240));
  look.close();
});

// Fewer, because a process connects and is cut off.
needsPostgres('on PostgreSQL', async () => {
  const server = await startPostgres();
  const outside = await server.database();
  await migrateDatabase(outside, () => prepareQueue(outside));
  const look = await openPostgresPool(outside, 1);
  const queued = async (sql: string) => (await look.query(sql)).rows;
  const databaseUrl = `${outside}?application_name=mortal`;
  const place = { databaseUrl, queueLocation: databaseUrl, outside, queued };
  const cutOff = async () => {
    await queued(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mortal'`,
    );
    await queued(
      `update openworkflow.workflow_runs set available_at = now() where status = 'running'`,
    );
  };
  await simulate({ ...place, cutOff }, rounds(80));
  await look.end();
  await server.close();
});
