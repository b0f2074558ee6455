/** The services of a worker thread that executes queued runs. */
import type { Config } from '../../config/config.ts';
import { createWorkspaceTerminology } from '../../learning/learn.ts';
import type { Log } from '../../base/log.ts';
import { openMeteredAudioStore } from '../../storage/audio-stores.ts';
import { isPostgres } from '../../storage/locations.ts';
import { openDatabase, type Database } from '../../storage/database.ts';
import { moveResult } from '../../storage/run-texts.ts';
import { cancelled } from '../store/cancelled.ts';
import { createComputations } from './computing.ts';
import { queueLocation } from '../files.ts';
import type { FromWorker } from './messages.ts';
import { openQueue } from '../queue/openworkflow-queue.ts';
import type { ProcessStopping } from '../../pipeline/perform.ts';
import { createPipeline } from '../../pipeline/create-pipeline.ts';
import { createPartialTranscripts } from '../store/partial-transcripts.ts';
import { repeat } from '../../base/concurrency.ts';
import { createRunAttempts } from '../store/run-attempts.ts';
import { executeRun, type Execution } from './run-execution.ts';
import { createVoiceStore } from '../../voices/voice-store.ts';
import { createRunStore } from '../store/run-store.ts';
import { createRunQueries, type RunQueries } from '../store/run-queries.ts';
import { openSqlite, tidySqliteLog } from '../../storage/sqlite.ts';

/** The interval at which missed cancels are found, in milliseconds; normally a cancel is announced immediately. */
const LOOK_FOR_CANCELS_MS = 2000;

/** The interval at which the logs of SQLite files are tidied, in milliseconds. */
const TIDY_LOGS_MS = 1000;

/** The interval at which results of earlier versions are moved, and for how long, in milliseconds. */
const MOVE_RESULTS_MS = 1000;
const MOVING_MS = 50;

export type RunWorker = Awaited<ReturnType<typeof startWorker>>;

interface WorkerOptions {
  /** The number of recogniser processes of this worker. */
  slots: number;
  /** The folder for temporary files of this process. */
  tempDir: string;
  log: Log;
  post(message: FromWorker): void;
}

/** Opens a worker's services and starts to take runs. */
export async function startWorker(config: Config, options: WorkerOptions) {
  const { log, tempDir, post } = options;
  const database = openDatabase(config.databaseUrl);
  const { pipeline, translators, close } = await createPipeline(config, {
    database,
    log,
    slots: options.slots,
    tempDir,
  });
  const queries = createRunQueries(database);
  const active = new Map<string, Execution>();
  const computations = createComputations(createRunAttempts(database), post, log);
  const parts = {
    store: createRunStore(database),
    partial: createPartialTranscripts(database),
    audio: openMeteredAudioStore(config, tempDir, database),
    pipeline,
    workspace: createWorkspaceTerminology(database, log),
    voices: createVoiceStore(database),
    computations,
    active,
    translators,
    database,
    checksResults: !config.production,
    log,
    post,
  };
  const queue = await openQueue(queueLocation(config), log, {
    holding: {
      held: (run) => post({ type: 'held', run }),
      freed: (run) => post({ type: 'freed', run }),
    },
    leaseMs: config.runLeaseMs,
  });
  await queue.work(config.runsAtOnce, (run, steps) => executeRun(parts, run, steps));
  const looking = repeat(LOOK_FOR_CANCELS_MS, async () => {
    await computations.correctCounts();
    await abortCancelled(active, queries, log);
  });
  const files = isPostgres(config.databaseUrl)
    ? []
    : [config.databaseUrl, queueLocation(config)].map((path) => ({
        path,
        file: openSqlite(path),
      }));
  // The thread that answers requests writes too, but never tidies; see storage/sqlite.ts.
  const tidying = repeat(TIDY_LOGS_MS, async () => {
    for (const { path, file } of files) tidySqliteLog(file, path);
  });
  const moving = movingResults(database, log);
  const abortAll = (reason: ProcessStopping) => {
    for (const { controller } of active.values()) controller.abort(reason);
  };
  return {
    wake: queue.wake,
    /** Aborts a run that this worker executes; ignores any other. */
    cancel: (runId: string): void => active.get(runId)?.controller.abort(cancelled()),
    async stop(graceMs: number, reason: ProcessStopping): Promise<void> {
      const timer = setTimeout(() => abortAll(reason), graceMs);
      void looking.stop();
      void tidying.stop();
      const moved = moving.stop();
      await queue.stop(graceMs);
      clearTimeout(timer);
      abortAll(reason);
      await computations.release();
      await moved;
      close();
      for (const { file } of files) file.close();
      await database.destroy();
    },
  };
}

/** Moves results that earlier versions left in the rows of runs, a few at a time, until there are none. */
function movingResults(database: Database, log: Log) {
  let [at, count]: [string | null, number] = ['', 0];
  return repeat(MOVE_RESULTS_MS, async () => {
    if (at === null) return;
    const began = performance.now();
    try {
      while (at !== null && performance.now() - began < MOVING_MS) {
        at = await moveResult(database, at);
        if (at !== null) count += 1;
      }
    } catch (error) {
      log.warn('results_not_moved', { error });
    }
    if (at === null && count > 0) log.info('results_moved', { count });
  });
}

/** Finds cancels whose announcement did not reach this process. */
async function abortCancelled(
  active: Map<string, Execution>,
  queries: RunQueries,
  log: Log,
): Promise<void> {
  if (active.size === 0) return;
  try {
    for (const runId of await queries.cancelRequested([...active.keys()])) {
      active.get(runId)?.controller.abort(cancelled());
    }
  } catch (error) {
    log.warn('cancellations_not_read', { error });
  }
}
