/** Tells clients when to poll a run in progress again, with the Retry-After header. */
import type { RunSummary } from '../runs/stored-run.ts';

/** The limits of the interval between requests, in seconds. */
const MIN_SECONDS = 1;
const MAX_SECONDS = 30;

/** The address of a run. */
export const runUrl = (baseUrl: string, runId: string): string =>
  `${baseUrl}/workflows/captioner/${runId}`;

/** Retry-After while a run is in progress; no header once it has ended. */
export const retryAfterOf = (run: Pace): Record<string, string> =>
  run.finishedAt === null ? { 'retry-after': String(secondsToNextPoll(run)) } : {};

type Pace = Pick<RunSummary, 'startedAt' | 'finishedAt' | 'progress'>;

/**
 * The whole seconds after which it is worth asking again: a quarter of the time that the run will still take at its
 * present speed.
 * @param now epoch milliseconds
 */
export function secondsToNextPoll({ startedAt, progress }: Pace, now: number = Date.now()): number {
  if (startedAt === null || progress <= 0) return 2;
  const left = ((now - startedAt) / 1000) * ((1 - progress) / progress);
  return Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, Math.ceil(left / 4)));
}
