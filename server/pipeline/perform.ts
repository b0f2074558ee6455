/** Performs a durable step with retries; an error thrown by a stage becomes a stored value. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CaptionerStage, StageFailure, type Failure } from '../contract/failure.ts';
import type { Log } from '../base/log.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { realTime, type Waiting } from '../base/concurrency.ts';
import { storable } from './storable.ts';

export interface StepContext {
  steps: Steps;
  /** Aborted with a StageFailure when the run is cancelled, and with ProcessStopping when the process stops. */
  signal: AbortSignal;
  log: Log;
  /** The timer for retries. Default: real time. */
  waiting?: Waiting | undefined;
}

/** The abort reason when the process stops. The run continues elsewhere, so it must not fail. */
export class ProcessStopping extends Error {
  override readonly name = 'ProcessStopping';
}

/** The abort reason when another execution has taken the run; this one ends at once. */
export class RunTakenOver extends Error {
  override readonly name = 'RunTakenOver';
}

interface Retries {
  /** The total number of attempts for a retryable failure. */
  attempts: number;
  baseMs: number;
  maxMs: number;
}

/** Retries for work on this machine, which may meet a crashed process or a busy file. */
export const LOCAL_RETRIES: Retries = { attempts: 3, baseMs: 200, maxMs: 5000 };

/** The outcome of a step and the time it ran (epoch milliseconds), which survive restarts. */
interface Performed<T> {
  value: T;
  startedAt: number;
  endedAt: number;
}

type Outcome<T> = { startedAt: number; endedAt: number } & (
  | { value: T }
  | { failure: Failure; said?: string }
);

/**
 * Does a piece of work as a durable step.
 * @throws {StageFailure} the failure of the work after its retries, also when the step is replayed
 * @throws {RunInterrupted} the run continues later, possibly in another process
 */
export async function perform<T>(
  context: StepContext,
  name: string,
  retries: Retries,
  work: () => Promise<T>,
): Promise<Performed<T>> {
  const outcome = await context.steps.run<Outcome<T>>(name, async () => {
    const startedAt = Date.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        context.signal.throwIfAborted();
        return { value: storable(await work()), startedAt, endedAt: Date.now() };
      } catch (error) {
        await endIfStopping(context.signal);
        if (isNotTheRuns(error, context.signal)) throw error;
        const failure = asFailure(error, context.signal);
        if (failure.code === 'internal') context.log.error('step_failed', { step: name, error });
        const isFinal = error instanceof StageFailure && error.isFinal;
        if (
          isFinal ||
          !failure.retryable ||
          attempt >= retries.attempts ||
          context.signal.aborted
        ) {
          const said = saidOf(error);
          return { failure, ...(said && { said }), startedAt, endedAt: Date.now() };
        }
        context.log.warn('step_retried', { step: name, attempt, code: failure.code });
        const { pause } = context.waiting ?? realTime;
        await pause(backoff(retries, attempt), context.signal).catch(() => {});
      }
    }
  });
  if ('failure' in outcome) throw new StageFailure(outcome.failure, { said: outcome.said });
  return outcome;
}

/**
 * Lets a run continue to its next stage unless it has to end here. Handles the thread's waiting messages first.
 * @throws {StageFailure} the run was cancelled
 * @throws {RunInterrupted} another execution has taken the run
 */
export async function beforeStage(signal: AbortSignal): Promise<void> {
  await nextTurn();
  await endIfStopping(signal);
  if (!signal.aborted) return;
  if (signal.reason instanceof StageFailure) throw signal.reason;
  throw new RunInterrupted('The run was interrupted between two stages.', { cause: signal.reason });
}

/** Whether an error is not the run's fault, so that the next worker repeats the step. A cancel takes precedence. */
const isNotTheRuns = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted ? signal.reason instanceof RunTakenOver : error instanceof StorageUnavailable;

/**
 * Interrupts the run if the process is stopping: nothing may be recorded any more, and the step is repeated after the
 * restart.
 */
async function endIfStopping(signal: AbortSignal): Promise<void> {
  if (signal.reason instanceof ProcessStopping) await new Promise(() => {});
}

/** The pause before a retry, with full jitter to spread the retries of many runs. */
const backoff = ({ baseMs, maxMs }: Retries, attempt: number): number =>
  Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/**
 * Converts an error into a failure that a caller can read. An unexpected error becomes `internal` and may be retried.
 */
export function asFailure(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted && signal.reason instanceof StageFailure) return signal.reason.failure;
  if (error instanceof StageFailure) return error.failure;
  return {
    code: 'internal',
    message: 'Something went wrong on the server. The run can be started again.',
    retryable: true,
    suggestions: [{ label: 'Start the run again with the same payload' }],
  };
}

const saidOf = (error: unknown): string | undefined =>
  error instanceof StageFailure ? error.said : undefined;

/** Tells the operator why something failed: a cancel did not, and an error of the service is told with its stack. */
export function logFailure(
  log: Log,
  event: string,
  stage: CaptionerStage,
  failure: Failure,
  error: unknown,
): void {
  const { code, message, provider, model, debug } = failure;
  if (code === 'cancelled') return;
  if (code === 'internal') return log.error(event, { code, stage, error });
  const status = debug?.['status'];
  log.warn(event, { code, stage, message, provider, model, status, said: saidOf(error) });
}

/** Runs steps. A finished step is never repeated: after a crash its stored output is read instead. */
export interface Steps {
  /**
   * Does a piece of work and stores its output, which must be plain JSON. The work runs at least once and is repeated
   * if the process dies meanwhile, so it must be safe to repeat.
   * @param name stable across restarts, unique within the run
   * @throws {RunInterrupted} and nothing else
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Ends this execution of a run but not the run: the step's work threw, its output could not be stored, or another
 * process has taken over. The run continues automatically after its last finished step.
 */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}
