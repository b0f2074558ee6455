/**
 * Starts and stops, in order, the services behind runs in this process: database, recordings, queue, workers and run
 * events.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config/config.ts';
import { type CaptionSearch, createCaptionSearch } from './search/caption-search.ts';
import { createReviewStore, type ReviewStore } from './reviews/review-store.ts';
import { createTerminologyStore, type TerminologyStore } from './learning/terminology-store.ts';
import type { Log } from './base/log.ts';
import { AUDIT_NAMES } from './language/registry.ts';
import { createMetrics, type Metrics } from './base/metrics.ts';
import { SPEECH_NAMES } from './speech/providers/registry.ts';
import type { AudioStore } from './storage/audio.ts';
import { openMeteredAudioStore } from './storage/audio-stores.ts';
import { migrateDatabase, openDatabase, type Database } from './storage/database.ts';
import { isPostgres } from './storage/locations.ts';
import { createDiskReserve, freeBytes } from './storage/disk-reserve.ts';
import { createSpool, type Spool } from './storage/spool.ts';
import { type WorkspaceUsage, usageOfAll } from './storage/workspace-quotas.ts';
import { createWriteLimit, type BeforeWrite } from './storage/write-limit.ts';
import { createLocalRunEvents, type RunEvents } from './runs/store/run-events.ts';
import { queueLocation } from './runs/files.ts';
import { startHousekeeping, UPLOAD_UNTOUCHED_MS } from './runs/housekeeping.ts';
import type { Repetition } from './base/concurrency.ts';
import { createPartialTranscripts } from './runs/store/partial-transcripts.ts';
import { createRunErasure, type RunErasures } from './runs/run-erasure.ts';
import { openQueue, prepareQueue } from './runs/queue/openworkflow-queue.ts';
import { createResultQuota } from './runs/store/result-quota.ts';
import { createRunAttempts } from './runs/store/run-attempts.ts';
import { createRunStore } from './runs/store/run-store.ts';
import { createRunQueries } from './runs/store/run-queries.ts';
import { createRuns, type DoWork, here, type Runs } from './runs/service.ts';
import { createWebhookStore, type WebhookStore } from './webhooks/webhook-store.ts';
import { createThreadRescue } from './runs/threads/thread-rescue.ts';
import { createTranslations, type Translations } from './runs/translations.ts';
import { createWatches } from './runs/store/watches.ts';
import { startWorkerThreads } from './runs/threads/worker-threads.ts';
import { claimTemporaryFolder } from './storage/file-lock.ts';

/** Checks by their names in the log. Each rejects if its service does not respond. */
type HealthChecks = Record<string, () => Promise<void>>;

export interface RunServices {
  database: Database;
  audio: AudioStore;
  runs: Runs;
  /** Erases ended runs. */
  erasure: RunErasures;
  /** Calls back with the id of each run that is erased, by any process. */
  onErased(listener: (runId: string) => void): void;
  /** The translations of captions. */
  translations: Translations;
  /** The reviews of runs. */
  reviews: ReviewStore;
  /** Limits what requests write to the database; is asked before each statement of this process. */
  beforeWrite: BeforeWrite;
  /** The webhooks of workspaces. */
  webhooks: WebhookStore;
  captionSearch: CaptionSearch;
  /** The terms of workspaces. */
  terminology: TerminologyStore;
  /** Holds responses that wait for slow readers, and uploads that are converted before they are stored. */
  spool: Spool;
  metrics: Metrics;
  /** Checks that the services that runs depend on respond. */
  health: HealthChecks;
  /** Those of them without which this process can do nothing. */
  readiness: HealthChecks;
  /** Queues runs that were left unqueued, and starts housekeeping. Returns the number of queued runs. */
  begin(): Promise<number>;
  /** Stops taking runs. Those in progress have the grace time to finish, then other processes take over. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the services.
 * @param workerEntry the program of a worker thread; default: worker-thread.ts
 * @param work works on long texts; default: in this thread
 * @throws {Error} if they cannot work, because a database does not respond or a pack cannot be read
 */
export async function startRunServices(
  config: Config,
  log: Log,
  workerEntry?: URL,
  work: DoWork = here,
): Promise<RunServices> {
  const { databaseUrl, audioStore } = config;
  const isShared = isPostgres(databaseUrl);
  const location = queueLocation(config);
  await migrateDatabase(databaseUrl, () => prepareQueue(location));
  const use = { answersRequests: true };
  const disk = isShared ? null : createDiskReserve(config.dataDir, config.diskReserve);
  const beforeWrite = createWriteLimit(disk);
  const database = openDatabase(databaseUrl, { ...use, beforeWrite });
  // Each process has a folder of its own in it.
  const temporary = await claimTemporaryFolder(join(config.dataDir, 'tmp'));
  const audio = openMeteredAudioStore(config, temporary.path, database);
  if (config.role !== 'all' && audioStore.kind === 'disk') {
    log.warn('audio_store_is_a_folder', {
      folder: audioStore.folder,
      hint: 'every process needs access to it',
    });
  }
  await audio.prepare(isShared ? UPLOAD_UNTOUCHED_MS : 0);

  const store = createRunStore(database);
  const queries = createRunQueries(database);
  const resultQuota = createResultQuota(database, config.resultQuota);
  const queue = await openQueue(location, log, { use, leaseMs: config.runLeaseMs });
  const events = await joinRunEvents(databaseUrl, log);
  const watches = createWatches(events, queries.lastChanges, log);
  const metrics = createMetrics(
    queries.countByState,
    {
      async captioner_queue_age_seconds() {
        const oldest = await queries.oldestQueued();
        return oldest === null ? 0 : (Date.now() - oldest) / 1000;
      },
      async captioner_quota_used_ratio() {
        const usual = { recordings: config.audioQuota, results: config.resultQuota };
        return Math.max(0, ...(await usageOfAll(database, usual)).flatMap(sharesOf));
      },
      captioner_audio_store_up: () => holds(audio.check()),
      captioner_disk_free_bytes: () => freeBytes(config.dataDir),
      captioner_disk_reserve_bytes: () => config.diskReserve,
      ...(!isShared && {
        captioner_wal_bytes: () =>
          [databaseUrl, location].reduce(
            (sum, path) => sum + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0),
            0,
          ),
      }),
    },
    REMOTE_PROVIDERS,
  );
  const attempts = createRunAttempts(database);
  const rescue = createThreadRescue({ queue, attempts, store, queries, log });
  const threads =
    config.role === 'web'
      ? null
      : await startWorkerThreads(config, {
          events,
          metrics,
          rescue,
          tempDir: temporary.path,
          log,
          entry: workerEntry,
        });
  const partial = createPartialTranscripts(database);
  const translations = createTranslations({ database, resultQuota, queue, events });
  const parts = { store, queries, partial, resultQuota, queue, events, watches, log, work };
  const runs = createRuns(parts);
  const readiness: HealthChecks = {
    async database() {
      await database.selectFrom('runs').select('id').limit(1).execute();
    },
    ...(threads && { workers: threads.check }),
  };
  const captionSearch = createCaptionSearch({ database, log, work });
  const erasure = createRunErasure({ database, queue, audio, translations, events, log });
  let housekeeping: Repetition | null = null;

  return {
    database,
    beforeWrite,
    audio,
    runs,
    erasure,
    onErased: (listener) =>
      events.subscribe((event) => {
        if (event.type === 'erased') listener(event.runId);
      }),
    translations,
    reviews: createReviewStore(database),
    captionSearch,
    webhooks: createWebhookStore(database),
    terminology: createTerminologyStore(database),
    spool: createSpool(temporary.path, disk),
    metrics,
    health: { ...readiness, audioStore: audio.check },
    readiness,
    async begin() {
      // If other processes are running, a recently stored run may still be on its way to the queue.
      const recovered = isShared ? 0 : await runs.recover(Date.now() + 1);
      housekeeping = startHousekeeping(config, {
        database,
        queries,
        queue,
        audio,
        runs,
        erasure,
        log,
        captionSearch,
        work,
      });
      return recovered;
    },
    async drain(graceMs) {
      const tidied = Promise.race([
        housekeeping?.stop(),
        sleep(graceMs, undefined, { ref: false }),
      ]);
      await Promise.all([tidied, threads?.stop(graceMs)]);
    },
    async close() {
      watches.close();
      await events.close();
      await queue.stop(0);
      await database.destroy();
      await temporary.remove();
    },
  };
}

/** The shares of its quotas that a workspace uses, 0..1 and above if a quota was lowered. */
const sharesOf = ({ used, quota }: WorkspaceUsage): number[] =>
  (['recordings', 'results'] as const).map((kind) => {
    const most = quota[kind];
    if (most === null) return 0;
    return most === 0 ? Math.min(used[kind], 1) : used[kind] / most;
  });

/** The names of providers that may be called over the network. */
const REMOTE_PROVIDERS = [...new Set([...SPEECH_NAMES, ...AUDIT_NAMES])].filter(
  (name) => name !== 'none',
);

/** The time after which a store counts as away, well within that of a reading of the metrics. */
const AWAY_MS = 5000;

/** 1 if a check succeeds in time, otherwise 0. */
const holds = (checked: Promise<void>): Promise<number> =>
  Promise.race([
    checked.then(
      () => 1,
      () => 0,
    ),
    sleep(AWAY_MS, 0, { ref: false }),
  ]);

async function joinRunEvents(databaseUrl: string, log: Log): Promise<RunEvents> {
  if (!isPostgres(databaseUrl)) return createLocalRunEvents();
  const { joinPostgresRunEvents } = await import('./runs/postgres-run-events.ts');
  return joinPostgresRunEvents(databaseUrl, log);
}
