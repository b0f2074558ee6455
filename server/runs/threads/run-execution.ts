/** Executes one run or translation in a worker, from the queue to its stored result. */
import { type CaptionerStage, StageFailure } from '../../contract/failure.ts';
import { resolvePayload } from '../../contract/payload.ts';
import type { CaptionerResult } from '../../contract/results.ts';
import type { RunState } from '../../contract/runs.ts';
import type { Log } from '../../base/log.ts';
import { captionRecording } from '../../pipeline/captioner-run.ts';
import { cleanUp } from '../../pipeline/clean-up.ts';
import {
  asFailure,
  LOCAL_RETRIES,
  perform,
  RunTakenOver,
  type Steps,
} from '../../pipeline/perform.ts';
import { assertResult, failedResult } from '../../pipeline/result.ts';
import {
  type CaptionerRun,
  type RunContext,
  type PipelineServices,
  type RunAudio,
  newRecord,
} from '../../pipeline/run.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { RuleChange } from '../../terminology/packs/compile.ts';
import { cancelled } from '../store/cancelled.ts';
import type { FromWorker } from './messages.ts';
import {
  createPartialWriter,
  NOTHING_HEARD,
  type PartialTranscripts,
} from '../store/partial-transcripts.ts';
import { type Reached, type RunStore, type StoredRun, timingsOf } from '../store/run-store.ts';
import { executeTranslation, type TranslationParts } from './translation-execution.ts';
import { isTranslationId } from '../store/stored-translation.ts';
import { RUN } from '../../contract/limits.ts';
import { forgetKnownSpeakers, readKnownSpeakers } from '../../voices/known-speakers.ts';
import type { VoiceStore } from '../../voices/voice-store.ts';
import type { RunVoices } from '../../voices/voiceprints.ts';

/** A run in progress. */
export interface Execution {
  entry: string;
  controller: AbortController;
  /** Resolves when it is over, whatever the outcome. */
  ended: Promise<void>;
}

/** The services needed to execute runs. */
interface ExecutionParts extends TranslationParts {
  store: Pick<RunStore, 'markRunning' | 'report' | 'finish'>;
  partial: PartialTranscripts;
  voices: Pick<VoiceStore, 'note' | 'remembers'>;
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
  { runId, entry }: { runId: string; entry: string },
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
  const workspace = stored.organizationId;
  const log = parts.log.with({ runId });
  const reporter = createProgressReporter(runId, store, post, stored.progress);
  const isFirst = stored.startedAt === stored.updatedAt;
  const partial = createPartialWriter(
    runId,
    parts.partial,
    isFirst ? NOTHING_HEARD : await parts.partial.last(runId),
    () => post({ type: 'changed', runId }),
  );
  let undeleted: string | null = null;
  const recording = { organizationId: workspace, key: stored.payload.audio.key };
  const run = {
    runId,
    request: resolvePayload(stored.payload),
    audio: storedAudio(parts.audio, stored.organizationId, stored.payload.audio.key),
    createdAt: stored.createdAt,
    ...(stored.speakers && { speakers: stored.speakers }),
    ownTerms: () => parts.workspace.ownTerms(stored.organizationId),
    noteRuleChanges: (changes: readonly RuleChange[]) =>
      parts.workspace.noteRuleChanges(stored.organizationId, runId, changes),
    knownSpeakers: () => readKnownSpeakers(parts.database, recording),
    remembersVoices: () => parts.voices.remembers(stored.organizationId),
    noteVoices: (voices: RunVoices) => parts.voices.note(stored, voices),
  };
  const context: RunContext = {
    steps,
    signal,
    log: log.with({ workspace }),
    report: reporter.report,
    heard: partial.listener,
    computing: parts.computations.of(runId, stored.attempts > 0),
    undeleted: (version) => (undeleted = version),
  };
  const isPoison = stored.attempts >= RUN.maxAttempts && !signal.aborted;
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
  await forgetKnownSpeakers(parts.database, recording).catch((error: unknown) => {
    // Housekeeping deletes them later.
    log.warn('known_speakers_left', { error });
  });
  post({ type: 'ended', runId });
  const code = checked.status === 'failed' ? checked.error.code : null;
  post({ type: 'finished', state, timingsMs: timingsOf(checked), code });
  log.info('run_finished', {
    state,
    ...failureOf(checked),
    timingsMs: timingsOf(checked),
    workspace,
  });
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

/**
 * Ends such a run. Only the outputs of finished steps about its recording are read: nothing is computed, and no
 * provider is called.
 * @param stage the stage in which its worker died
 * @throws {RunInterrupted} this execution is over, but not the run
 */
async function endPoisonedRun(
  run: CaptionerRun,
  context: RunContext,
  stage: CaptionerStage | null,
): Promise<CaptionerResult> {
  const record = newRecord();
  record.audioVersion = await audioVersion(run, context);
  // If this step was done, transcription has finished with the recording.
  const earlier = await cleanUp(run, context, record, 'failure', 'after_transcription');
  record.audioConsumed = earlier.cleanupPhase === 'after_transcription';
  const retention = await cleanUp(run, context, record, 'failure');
  return failedResult({
    runId: run.runId,
    request: run.request,
    timingsMs: { total: Math.max(0, Date.now() - run.createdAt) },
    models: {},
    stage: stage ?? 'workflow',
    failure: {
      code: 'internal',
      message: `The run was tried ${RUN.maxAttempts} times, and each time its worker crashed or did not finish.`,
      retryable: false,
      suggestions: [
        { label: 'Start the run with a simpler payload, in particular fewer terms' },
        { label: 'Encode the recording as MP3 again, and start a run with that' },
        { label: 'Report the id of the run to the operator of this service' },
      ],
      debug: { attempts: RUN.maxAttempts },
    },
    retention,
    terminology: {},
  });
}

/** The version of the recording that the run worked on; null if there is none. */
async function audioVersion(run: CaptionerRun, context: RunContext): Promise<string | null> {
  try {
    const opened = await perform(context, 'audio', LOCAL_RETRIES, async () => ({
      version: (await run.audio.open())?.version ?? null,
    }));
    return opened.value.version;
  } catch (error) {
    if (error instanceof StageFailure) return null;
    throw error;
  }
}

/** The delay of a new stage, in which those that pass quickly are written together. */
const STAGE_MS = 100;
/** The interval between writes of progress within a stage. */
const WITHIN_STAGE_MS = 1000;

/** Creates the reporter of a run that has already reached the given progress, 0..1. */
function createProgressReporter(
  runId: string,
  store: Pick<RunStore, 'report'>,
  post: (message: FromWorker) => void,
  reached = 0,
) {
  let stage: CaptionerStage | null = null;
  let loading: number | undefined;
  let highest = reached;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isSoon = false;
  let writing: Promise<void> = Promise.resolve();
  let isFinished = false;

  const write = (entered: CaptionerStage) => {
    timer = null;
    isSoon = false;
    // A failed write does not fail the run: the next write includes this progress.
    writing = store.report(runId, entered, highest, loading).then(
      () => post({ type: 'changed', runId }),
      () => {},
    );
  };

  return {
    report(entered: CaptionerStage, progress: number, loadingBytes?: number): void {
      if (isFinished) return;
      loading = loadingBytes;
      const isNew = entered !== stage;
      stage = entered;
      // Pieces that are retried, or replayed after a restart, would make it go back.
      highest = Math.max(highest, Math.min(1, progress));
      if (isNew && !isSoon) {
        if (timer) clearTimeout(timer);
        timer = null;
        isSoon = true;
      }
      timer ??= setTimeout(() => write(stage!), isNew ? STAGE_MS : WITHIN_STAGE_MS);
    },
    /** Waits for the write in progress, after which no other follows, and returns the progress reached. */
    async finish(): Promise<Reached> {
      isFinished = true;
      if (timer) clearTimeout(timer);
      await writing;
      return { stage, progress: highest };
    },
  };
}

/** The object under a key, in the form that the pipeline uses. */
export function storedAudio(store: AudioStore, organizationId: string, key: string): RunAudio {
  return {
    key,
    async open() {
      const found = await store.stat(organizationId, key);
      if (!found) return null;
      return {
        version: found.version,
        source: {
          size: found.size,
          read: (range) => store.read(organizationId, key, range),
        },
      };
    },
    delete: (version) => store.delete(organizationId, key, version),
  };
}
