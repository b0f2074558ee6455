/** One durable step with its retries: what a stage throws becomes a value that is kept. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StageFailure, type Failure } from '../contract/failure.ts';
import type { Log } from '../log.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { realTime, type Waiting } from '../waiting.ts';
import { keepable } from './keepable.ts';
import { RunInterrupted, type Steps } from './steps.ts';

export interface StepContext {
  steps: Steps;
  /** Aborted with a StageFailure when the run is cancelled, with ProcessStopping when the process ends. */
  signal: AbortSignal;
  log: Log;
  /** How it pauses before it tries again. Default: real time. */
  waiting?: Waiting | undefined;
}

/** The reason a signal carries when the process stops: the run is to go on elsewhere, not to fail. */
export class ProcessStopping extends Error {
  override readonly name = 'ProcessStopping';
}

/** The reason a signal carries when the run was taken again: this execution of it is to end at once. */
export class RunTakenOver extends Error {
  override readonly name = 'RunTakenOver';
}

export interface Retries {
  /** Attempts in all, for failures that say they are retryable. */
  attempts: number;
  baseMs: number;
  maxMs: number;
}

/** For work on this machine: a lost process, a busy file. */
export const LOCAL_RETRIES: Retries = { attempts: 3, baseMs: 200, maxMs: 5000 };

/** What a step answered and when it ran (epoch milliseconds), kept over restarts. */
export interface Performed<T> {
  value: T;
  startedAt: number;
  endedAt: number;
}

type Outcome<T> = { startedAt: number; endedAt: number } & ({ value: T } | { failure: Failure });

/**
 * Does a piece of work as a durable step.
 * @throws {StageFailure} what the work failed with, after its retries; also on a replay
 * @throws {RunInterrupted} the run goes on later, maybe in another process
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
        return { value: keepable(await work()), startedAt, endedAt: Date.now() };
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
          return { failure, startedAt, endedAt: Date.now() };
        }
        context.log.warn('step_retried', { step: name, attempt, code: failure.code });
        const { pause } = context.waiting ?? realTime;
        await pause(backoff(retries, attempt), context.signal).catch(() => {});
      }
    }
  });
  if ('failure' in outcome) throw new StageFailure(outcome.failure);
  return outcome;
}

/**
 * Lets a run go on to its next stage, unless it is to end here: messages to the thread are heard first.
 * @throws {StageFailure} the run was cancelled
 * @throws {RunInterrupted} the run was taken again
 */
export async function beforeStage(signal: AbortSignal): Promise<void> {
  await nextTurn();
  await endIfStopping(signal);
  if (!signal.aborted) return;
  if (signal.reason instanceof StageFailure) throw signal.reason;
  throw new RunInterrupted('The run was ended between two stages.', { cause: signal.reason });
}

/** What is no fault of the run: whoever executes it next does the step again. A cancel goes first. */
const isNotTheRuns = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted ? signal.reason instanceof RunTakenOver : error instanceof StorageUnavailable;

/** While the process stops nothing may be recorded: the step is done again after the restart. */
async function endIfStopping(signal: AbortSignal): Promise<void> {
  if (signal.aborted && signal.reason instanceof ProcessStopping) await new Promise(() => {});
}

/** Full jitter keeps many runs from knocking at the same moment. */
const backoff = ({ baseMs, maxMs }: Retries, attempt: number): number =>
  Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/** Any error as a failure a caller can read; what we did not foresee is `internal` and may be tried again. */
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
