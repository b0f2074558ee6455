/** Executes queued runs: the services of a worker thread, and the life of one run in it. */
import type { Config } from '../config.ts';
import { StageFailure } from '../contract/failure.ts';
import { resolvePayload } from '../contract/payload.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';
import { createLog, type Log } from '../log.ts';
import { assertResult, failedResult } from '../pipeline/result.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { AudioStore } from '../storage/audio.ts';
import { openDatabase } from '../storage/database.ts';
import { createDiskAudioStore } from '../storage/disk-audio.ts';
import { captionRecording } from './captioner-run.ts';
import type { RunInput, Steps } from './engine.ts';
import { engineFile, temporaryFolder } from './files.ts';
import type { FromWorker } from './messages.ts';
import { openEngine } from './openworkflow-engine.ts';
import { asFailure, type ProcessStopping } from './perform.ts';
import { createPipeline } from './pipeline-services.ts';
import { createProgressReporter } from './progress.ts';
import { createRunStore, type RunStore } from './run-store.ts';
import type { StoredRun } from './stored-run.ts';
import { storedAudio } from './run-audio.ts';

export interface RunWorker {
  wake(): Promise<void>;
  /** Aborts a run that this worker executes; does nothing for any other. */
  cancel(runId: string): void;
  stop(graceMs: number, reason: ProcessStopping): Promise<void>;
}

export interface WorkerOptions {
  /** Recogniser processes of this worker. */
  slots: number;
  /** Runs under way at once. */
  concurrency: number;
  tell(message: FromWorker): void;
}

interface WorkerParts {
  config: Config;
  log: Log;
  store: RunStore;
  audio: AudioStore;
  pipeline: PipelineServices;
  active: Map<string, AbortController>;
  tell(message: FromWorker): void;
}

/** Opens a worker's services and begins to take runs. */
export async function startWorker(config: Config, options: WorkerOptions): Promise<RunWorker> {
  const log = createLog(config.logLevel);
  const database = await openDatabase(config.databaseUrl);
  const { pipeline, close } = await createPipeline(config, {
    database,
    log,
    slots: options.slots,
    tempDir: temporaryFolder(config),
  });
  const parts: WorkerParts = {
    config,
    log,
    store: createRunStore(database),
    audio: createDiskAudioStore(config.audioDir),
    pipeline,
    active: new Map(),
    tell: options.tell,
  };
  const engine = openEngine(engineFile(config));
  await engine.work(options.concurrency, (input, steps) => execute(parts, input, steps));
  return {
    wake: () => engine.wake(),
    cancel: (runId) => parts.active.get(runId)?.abort(cancelled()),
    async stop(graceMs, reason) {
      const timer = setTimeout(() => {
        for (const controller of parts.active.values()) controller.abort(reason);
      }, graceMs);
      await engine.stop(graceMs);
      clearTimeout(timer);
      for (const controller of parts.active.values()) controller.abort(reason);
      await close();
      await database.destroy();
    },
  };
}

async function execute(parts: WorkerParts, { runId }: RunInput, steps: Steps): Promise<void> {
  // A run that was queued twice, a day apart, is executed once.
  if (parts.active.has(runId)) return;
  // Known before it is read: a cancel that comes in between is not missed.
  const controller = new AbortController();
  parts.active.set(runId, controller);
  try {
    const stored = await parts.store.get(runId);
    if (!stored || stored.finishedAt !== null) return;
    if (stored.cancelRequested) controller.abort(cancelled());
    const log = parts.log.with({ runId });
    const reporter = createProgressReporter(runId, parts.store, parts.tell, stored.progress);
    await parts.store.markRunning(runId);
    const result = await captionRecording(
      parts.pipeline,
      {
        runId,
        request: resolvePayload(stored.payload),
        audio: storedAudio(parts.audio, stored.organizationId, stored.payload.audio.key),
        createdAt: stored.createdAt,
      },
      { steps, signal: controller.signal, log, report: reporter.report },
    );
    await reporter.settle();
    const checked = parts.config.production ? result : checkedResult(result, stored, log);
    await parts.store.finish(runId, endState(checked), checked);
    log.info('run_finished', { state: endState(checked), ...timings(checked) });
    parts.tell({ type: 'finished', runId });
  } finally {
    parts.active.delete(runId);
  }
}

/** Outside production a result that breaks the contract never leaves: the run fails instead. */
function checkedResult(result: CaptionerResult, run: StoredRun, log: Log): CaptionerResult {
  try {
    assertResult(result);
    return result;
  } catch (error) {
    log.error('result_breaks_contract', { error });
    return failedResult({
      runId: run.id,
      request: resolvePayload(run.payload),
      timingsMs: {},
      models: {},
      stage: 'workflow',
      failure: asFailure(error, new AbortController().signal),
      terminology: {},
    });
  }
}

function endState(result: CaptionerResult): RunState {
  if (result.status === 'failed' && result.error.code === 'cancelled') return 'cancelled';
  return result.status;
}

const timings = (result: CaptionerResult): Record<string, unknown> =>
  'timingsMs' in result.metadata ? { timingsMs: result.metadata.timingsMs } : {};

const cancelled = (): StageFailure =>
  new StageFailure({
    code: 'cancelled',
    message: 'The run was cancelled.',
    retryable: false,
    suggestions: [{ label: 'Start the run again' }],
  });
