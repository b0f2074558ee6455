/** Executes one run or translation in a worker, from the queue to its stored result. */
import { resolvePayload } from '../contract/payload.ts';
import { MAX_ATTEMPTS } from '../contract/limits.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';
import type { RuleChange } from '../terminology/packs/own-terms.ts';
import type { Log } from '../log.ts';
import { assertResult, failedResult } from '../pipeline/result.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { AudioStore } from '../storage/audio.ts';
import { cancelled } from './cancelled.ts';
import { captionRecording } from '../pipeline/captioner-run.ts';
import type { Steps } from '../pipeline/steps.ts';
import type { ClaimedRun } from './queue.ts';
import type { FromWorker } from './messages.ts';
import { asFailure, RunTakenOver } from '../pipeline/perform.ts';
import { endPoisonedRun } from './poisoned-run.ts';
import { createPartialWriter, type PartialTranscripts } from './partial-transcripts.ts';
import { createProgressReporter } from './progress.ts';
import type { RunContext } from '../pipeline/run.ts';
import { storedAudio } from './run-audio.ts';
import type { RunStore } from './run-store.ts';
import { executeTranslation, type TranslationParts } from './translation-execution.ts';
import { isTranslationId } from './stored-translation.ts';
import { timingsOf, type StoredRun } from './stored-run.ts';

/** A run in progress. */
export interface Execution {
  entry: string;
  controller: AbortController;
  /** Resolves when it is over, whatever the outcome. */
  ended: Promise<void>;
}

/** The services needed to execute runs. */
export interface ExecutionParts extends TranslationParts {
  store: Pick<RunStore, 'markRunning' | 'report' | 'finish'>;
  partial: PartialTranscripts;
  audio: AudioStore;
  pipeline: PipelineServices;
  /** The runs in progress, by run id. */
  active: Map<string, Execution>;
  /** Whether every result is validated against the contract before it is stored. */
  checksResults: boolean;
  post(message: FromWorker): void;
}

/**
 * Executes a run taken from the queue, until it has ended.
 * @throws any error that prevents the run from continuing here; it is taken again later
 */
export async function executeRun(
  parts: ExecutionParts,
  { runId, entry }: ClaimedRun,
  steps: Steps,
): Promise<void> {
  const earlier = parts.active.get(runId);
  if (earlier) {
    // A run with two queue entries is executed only once.
    if (earlier.entry !== entry) return;
    // The run's lease was lost while the database was down, so the old execution can no longer store anything.
    earlier.controller.abort(new RunTakenOver('the run was taken again'));
    await earlier.ended;
  }
  // Registered before the run is read, so that a cancel in between is not missed.
  const controller = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  parts.active.set(runId, { entry, controller, ended });
  try {
    if (isTranslationId(runId)) {
      const cancel = () => controller.abort(cancelled());
      await executeTranslation(parts, runId, steps, controller.signal, cancel);
      return;
    }
    const stored = await parts.store.markRunning(runId);
    if (!stored) return;
    parts.post({ type: 'changed', runId });
    if (stored.cancelRequested) controller.abort(cancelled());
    await carryOut(parts, stored, steps, controller.signal);
  } finally {
    parts.active.delete(runId);
    end();
  }
}

async function carryOut(
  parts: ExecutionParts,
  stored: StoredRun,
  steps: Steps,
  signal: AbortSignal,
): Promise<void> {
  const { store, post, checksResults } = parts;
  const runId = stored.id;
  const log = parts.log.with({ runId });
  const reporter = createProgressReporter(runId, store, post, stored.progress);
  const partial = await createPartialWriter(runId, parts.partial, () =>
    post({ type: 'changed', runId }),
  );
  let undeleted: string | null = null;
  const run = {
    runId,
    request: resolvePayload(stored.payload),
    audio: storedAudio(parts.audio, stored.organizationId, stored.payload.audio.key),
    createdAt: stored.createdAt,
    ownTerms: () => parts.workspace.ownTerms(stored.organizationId),
    noteRuleChanges: (changes: readonly RuleChange[]) =>
      parts.workspace.noteRuleChanges(stored.organizationId, runId, changes),
  };
  const context: RunContext = {
    steps,
    signal,
    log,
    report: reporter.report,
    heard: partial.listener,
    computing: parts.computations.of(runId, stored.attempts > 0),
    undeleted: (version) => (undeleted = version),
  };
  const isPoison = stored.attempts >= MAX_ATTEMPTS && !signal.aborted;
  const result = isPoison
    ? await endPoisonedRun(run, context, stored.stage)
    : await captionRecording(parts.pipeline, run, context);
  const [reached] = await Promise.all([reporter.finish(), partial.finish()]);
  const checked = checksResults ? checkedResult(result, stored, log) : result;
  const state = endState(checked);
  const pendingDeletion = retentionOf(result) === 'failed' ? undeleted : null;
  await store.finish(
    runId,
    state,
    checked,
    { ...reached, stage: reached.stage ?? stored.stage },
    pendingDeletion,
  );
  post({ type: 'ended', runId });
  const code = checked.status === 'failed' ? checked.error.code : null;
  post({ type: 'finished', state, timingsMs: timingsOf(checked), code });
  log.info('run_finished', { state, ...failureOf(checked), timingsMs: timingsOf(checked) });
}

/** The outcome for the recording that a result reports. */
const retentionOf = ({ metadata }: CaptionerResult): string | undefined =>
  metadata.storage?.sourceAudio.status;

/** Outside production, a result that violates the contract is never returned: the run fails instead. */
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

/** The loggable fields of a failure, without any of the transcript. */
const failureOf = (result: CaptionerResult): Record<string, unknown> =>
  result.status === 'failed' ? { code: result.error.code, stage: result.error.stage } : {};
