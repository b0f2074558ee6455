/**
 * Follows a run to its end, reconnecting when the connection breaks: how much of its way is done, the remaining time,
 * and its result.
 */
import { signal, type Signal, effect } from '@preact/signals';
import type { TranscriptPart, WorkflowRun } from '../../server/contract/runs.ts';
import { ApiProblem, NoAnswer, retrying } from '../api/request.ts';
import { listRuns, runEvents } from '../api/runs.ts';
import { SignInDismissed, withKey } from '../tab/session.ts';
import { keepResult, keptResult } from '../storage/runs.ts';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';
import type { Job } from './job.ts';

/** The latest state of a run, updated as events arrive. */
export interface WatchedRun {
  run: Signal<WorkflowRun | null>;
  /** The words recognised so far, in order. */
  heard: Signal<readonly TranscriptPart[]>;
  /** The number of this workspace's runs ahead of it; null if not known. */
  ahead: Signal<number | null>;
  problem: Signal<ApiProblem | SignInDismissed | null>;
}

/** Watches a run until it ends or `stop` is aborted. */
export function watchRun(runId: string, stop: AbortSignal): WatchedRun {
  const watched: WatchedRun = {
    run: signal(null),
    heard: signal([]),
    ahead: signal(null),
    problem: signal(null),
  };
  follow(runId, watched, stop).catch((error: unknown) => {
    if (stop.aborted) return;
    if (error instanceof ApiProblem || error instanceof SignInDismissed) {
      watched.problem.value = error;
    } else throw error;
  });
  return watched;
}

async function follow(
  runId: string,
  { run, heard, ahead }: WatchedRun,
  stop: AbortSignal,
): Promise<void> {
  /** The id of the last event, from which the stream resumes after a break. */
  let last: string | null = null;
  await retrying(stop, (reached) =>
    withKey(async (key) => {
      try {
        for await (const update of runEvents(key, runId, last, stop)) {
          last = update.id;
          reached();
          if (update.event === 'transcript') {
            heard.value = [...heard.peek(), update.data];
            continue;
          }
          const next = update.data;
          const result = next.envelope?.result;
          // A run without captions is shown by the service's own message, which names the
          // recording's key.
          if (result?.status === 'completed') await keepResult(runId, result).catch(() => {});
          run.value = next;
          void keepCounting(key, { run, ahead }, stop);
        }
      } catch (error) {
        throw error instanceof ApiProblem ? error : new NoAnswer('', { cause: error });
      }
      // The stream ended before the run did, so the connection was cut.
      if (!run.peek()?.finishedAt) throw new NoAnswer();
    }),
  );
}

const COUNT_EVERY_MS = 3000;

/**
 * Counts the workspace's earlier unfinished runs while this one is queued: a queued run has no
 * events of its own.
 */
async function keepCounting(
  key: string,
  { run, ahead }: Pick<WatchedRun, 'run' | 'ahead'>,
  signal: AbortSignal,
): Promise<void> {
  for (let waits = run.peek(); waits?.state === 'queued' && !signal.aborted; waits = run.peek()) {
    const { createdAt } = waits;
    const found = await listRuns(key, { limit: 100, signal }).catch(() => null);
    if (found) ahead.value = found.runs.filter((each) => isAhead(each, createdAt)).length;
    await new Promise((resolve) => setTimeout(resolve, COUNT_EVERY_MS));
  }
}

const isAhead = ({ finishedAt, createdAt }: WorkflowRun, ofOne: string): boolean =>
  !finishedAt && createdAt < ofOne;

/**
 * The result of a run that has ended: from this browser, otherwise from the service, whose result is then kept here.
 * @returns null if the service does not give it
 */
export async function resultOf(runId: string): Promise<CaptionerResult | null> {
  const kept = await keptResult(runId).catch(() => undefined);
  if (kept) return kept;
  const stop = new AbortController();
  const { run, problem } = watchRun(runId, stop.signal);
  const { promise, resolve } = Promise.withResolvers<CaptionerResult | null>();
  const leave = effect(() => {
    const found = run.value?.envelope?.result;
    if (found) resolve(found);
    else if (problem.value) resolve(null);
  });
  const result = await promise;
  leave();
  stop.abort();
  return result;
}

/** The whole progress once the MP3 is made, and once it is uploaded. */
const MADE = 0.25;
const UPLOADED = 0.4;

/**
 * The whole progress of a recording that was started in this page, from 0 to 1.
 * @param progress of its run, once it has one
 */
export function wholeFraction({ conversion, upload, runId }: Job, progress = 0): number {
  if (runId.value !== null) return UPLOADED + (1 - UPLOADED) * progress;
  if (upload.value.state !== 'waiting') return MADE + (UPLOADED - MADE) * upload.value.fraction;
  return conversion.value.state === 'skipped' ? MADE : MADE * conversion.value.fraction;
}

/**
 * The part of a run's transcription that is done, from 0 to 1.
 * @param progress of the whole run
 */
export function transcribedFraction(progress: number): number {
  const { transcription: from, moderation: to } = STAGE_PROGRESS;
  return Math.min(1, Math.max(0, (progress - from) / (to - from)));
}

/** An observed fraction and its time in milliseconds. */
export interface Seen {
  fraction: number;
  at: number;
}

/** Below this time and fraction no estimate is possible. */
const MIN_MS = 2000;
const MIN_FRACTION = 0.03;

/**
 * The seconds left in a stage that goes on evenly, at its pace since it was first observed; null while there is too
 * little to estimate from.
 */
export function secondsLeft(first: Seen, now: Seen): number | null {
  const took = now.at - first.at;
  const done = now.fraction - first.fraction;
  if (took < MIN_MS || done < MIN_FRACTION || now.fraction >= 1) return null;
  return rounded(((1 - now.fraction) * took) / done / 1000);
}

/** Rounds to 5 or 10 seconds: an estimate is not exact. */
const rounded = (left: number): number =>
  left < 20 ? Math.ceil(left / 5) * 5 : Math.ceil(left / 10) * 10;

/** The progress of a stage that goes on in steps, as it was observed: each change once. */
export type Course = readonly Seen[];

/** The most changes that are remembered; they are thinned out beyond it. */
const MAX_SEEN = 200;

/** A course with what is observed now. */
export function withSeen(course: Course, now: Seen): Course {
  if (course.at(-1)?.fraction === now.fraction) return course;
  const more = [...course, now];
  return more.length <= MAX_SEEN ? more : more.filter((_, at) => at < 2 || at % 2 === 1);
}

/** An estimate takes this long, and so many steps; what lies further back than the last half minute says less. */
const FIRST_MS = 10_000;
const FIRST_STEPS = 3;
const RECENT_MS = 30_000;

/**
 * The seconds left in such a stage. Its time before the first step, in which a model loads, says nothing about its pace.
 * @param now in milliseconds
 * @returns null while there is too little to estimate from
 */
export function secondsLeftIn([, ...steps]: Course, now: number): number | null {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last || steps.length < FIRST_STEPS || now - first.at < FIRST_MS) return null;
  if (last.fraction >= 1) return null;
  const from = steps.findLast(({ at }) => at <= last.at - RECENT_MS) ?? first;
  const between = (last.at - first.at) / (steps.length - 1);
  // Where the next step is late, it has become slower.
  const until = Math.max(last.at, now - between);
  const pace = (last.fraction - from.fraction) / (until - from.at);
  return rounded(Math.max(1, ((1 - last.fraction) / pace - (now - last.at)) / 1000));
}
