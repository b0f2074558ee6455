/** Executes queued runs: the services of a worker thread, and the life of one run in it. */
import type { Config } from '../config.ts';
import { resolvePayload } from '../contract/payload.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';
import type { Log } from '../log.ts';
import { assertResult, failedResult } from '../pipeline/result.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { AudioStore } from '../storage/audio.ts';
import { openAudioStore } from '../storage/audio-stores.ts';
import { openDatabase } from '../storage/database.ts';
import { captionRecording } from './captioner-run.ts';
import { cancelled } from './cancelled.ts';
import type { Steps, TakenRun } from './engine.ts';
import { engineLocation } from './files.ts';
import type { FromWorker } from './messages.ts';
import { openEngine } from './openworkflow-engine.ts';
import { asFailure, RunTakenOver, type ProcessStopping } from './perform.ts';
import { createPipeline } from './pipeline-services.ts';
import { createProgressReporter } from './progress.ts';
import { repeat } from './repeat.ts';
import { createRunStore, timingsOf, type RunStore } from './run-store.ts';
import { createRunSurveys, type RunSurveys } from './run-surveys.ts';
import type { StoredRun } from './stored-run.ts';
import { storedAudio } from './run-audio.ts';

/** A cancel is told at once; what was not heard is found after this, in milliseconds. */
const LOOK_FOR_CANCELS_MS = 2000;

export interface RunWorker {
  wake(): void;
  /** Aborts a run that this worker executes; does nothing for any other. */
  cancel(runId: string): void;
  stop(graceMs: number, reason: ProcessStopping): Promise<void>;
}

export interface WorkerOptions {
  /** Recogniser processes of this worker. */
  slots: number;
  /** Temporary files of this process. */
  tempDir: string;
  log: Log;
  tell(message: FromWorker): void;
}

interface WorkerParts {
  config: Config;
  log: Log;
  store: RunStore;
  surveys: RunSurveys;
  audio: AudioStore;
  pipeline: PipelineServices;
  active: Map<string, Execution>;
  tell(message: FromWorker): void;
}

/** A run under way. */
interface Execution {
  entry: string;
  controller: AbortController;
  /** Resolves when it is over, however it ends. */
  ended: Promise<void>;
}

/** Opens a worker's services and begins to take runs. */
export async function startWorker(config: Config, options: WorkerOptions): Promise<RunWorker> {
  const { log, tempDir } = options;
  const database = openDatabase(config.databaseUrl);
  const { pipeline, close } = await createPipeline(config, {
    database,
    log,
    slots: options.slots,
    tempDir,
  });
  const parts: WorkerParts = {
    config,
    log,
    store: createRunStore(database),
    surveys: createRunSurveys(database),
    audio: openAudioStore(config.audioStore, tempDir),
    pipeline,
    active: new Map(),
    tell: options.tell,
  };
  const engine = await openEngine(engineLocation(config), log);
  await engine.work(config.runsAtOnce, (run, steps) => execute(parts, run, steps));
  const cancels = repeat(LOOK_FOR_CANCELS_MS, () => abortCancelled(parts));
  return {
    wake: engine.wake,
    cancel: (runId) => parts.active.get(runId)?.controller.abort(cancelled()),
    async stop(graceMs, reason) {
      const timer = setTimeout(() => {
        for (const { controller } of parts.active.values()) controller.abort(reason);
      }, graceMs);
      void cancels.stop();
      await engine.stop(graceMs);
      clearTimeout(timer);
      for (const { controller } of parts.active.values()) controller.abort(reason);
      await close();
      await database.destroy();
    },
  };
}

/** A cancel that nobody told this process of. */
async function abortCancelled({ active, surveys, log }: WorkerParts): Promise<void> {
  if (active.size === 0) return;
  try {
    for (const runId of await surveys.cancelRequested([...active.keys()])) {
      active.get(runId)?.controller.abort(cancelled());
    }
  } catch (error) {
    log.warn('cancels_not_read', { error });
  }
}

async function execute(
  parts: WorkerParts,
  { runId, entry }: TakenRun,
  steps: Steps,
): Promise<void> {
  const earlier = parts.active.get(runId);
  if (earlier) {
    // A run that stands in the queue twice is executed once.
    if (earlier.entry !== entry) return;
    // Its lease was lost while the database was away: the old execution can keep nothing any more.
    earlier.controller.abort(new RunTakenOver('the run was taken again'));
    await earlier.ended;
  }
  // Known before it is read: a cancel that comes in between is not missed.
  const controller = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  parts.active.set(runId, { entry, controller, ended });
  try {
    const stored = await parts.store.markRunning(runId);
    if (!stored) return;
    parts.tell({ type: 'changed', runId });
    if (stored.cancelRequested) controller.abort(cancelled());
    const log = parts.log.with({ runId });
    const reporter = createProgressReporter(runId, parts.store, parts.tell, stored.progress);
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
    const reached = await reporter.settle();
    const checked = parts.config.production ? result : checkedResult(result, stored, log);
    const state = endState(checked);
    await parts.store.finish(runId, state, checked, reached);
    parts.tell({ type: 'ended', runId });
    parts.tell({ type: 'finished', state, timingsMs: timingsOf(checked) });
    log.info('run_finished', { state, ...failureOf(checked), timingsMs: timingsOf(checked) });
  } finally {
    parts.active.delete(runId);
    end();
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

/** What a log line says of a failure: nothing of what was said. */
const failureOf = (result: CaptionerResult): Record<string, unknown> =>
  result.status === 'failed' ? { code: result.error.code, stage: result.error.stage } : {};
