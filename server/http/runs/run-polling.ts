/** Tells clients when to poll a run in progress again, with the Retry-After header. */
import { STAGE_PROGRESS } from '../../contract/stage-progress.ts';
import type { RunSummary } from '../../runs/stored-run.ts';

/** The limits of the interval between requests, in seconds. */
const MIN_SECONDS = 1;
const MAX_SECONDS = 30;
/** Its limits while nothing is known about the speed of a run. */
const UNKNOWN = { least: 2, most: 5 };

/** The progress at the starts of stages, where a run may stay for any length of time. */
const FIXED = new Set<number>(Object.values(STAGE_PROGRESS));

/** The address of a run. */
export const runUrl = (baseUrl: string, runId: string): string =>
  `${baseUrl}/workflows/captioner/${runId}`;

/** Retry-After while a run is in progress; no header once it has ended. */
export const retryAfterOf = (run: Pace): Record<string, string> =>
  run.finishedAt === null ? { 'retry-after': String(secondsToNextPoll(run)) } : {};

type Pace = Pick<RunSummary, 'createdAt' | 'startedAt' | 'finishedAt' | 'progress'>;

/**
 * The whole seconds after which it is worth asking again: a quarter of the time that the run will still take at its
 * present speed, but no longer than it has taken so far. While its progress stands at the start of a stage, and so says
 * nothing about its speed, it is half the time so far, 2 to 5 seconds.
 * @param now epoch milliseconds
 */
export function secondsToNextPoll(
  { createdAt, startedAt, progress }: Pace,
  now: number = Date.now(),
): number {
  const elapsed = (now - (startedAt ?? createdAt)) / 1000;
  if (startedAt === null || FIXED.has(progress)) {
    return Math.min(UNKNOWN.most, Math.max(UNKNOWN.least, Math.floor(elapsed / 2)));
  }
  const left = elapsed * ((1 - progress) / progress);
  const wished = Math.min(MAX_SECONDS, Math.ceil(left / 4), Math.floor(elapsed));
  return Math.max(MIN_SECONDS, wished);
}
