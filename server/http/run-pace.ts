/** Tells clients when to ask about a run again: headers of answers about a run in progress. */
import type { RunSummary } from '../runs/stored-run.ts';

/** Seconds between looks, at least and at most. */
const LEAST_SECONDS = 1;
const MOST_SECONDS = 30;

/** Where a run is. */
export const runUrl = (baseUrl: string, runId: string): string =>
  `${baseUrl}/workflows/captioner/${runId}`;

/** Retry-After while a run goes on; nothing once it has ended. */
export const goingOn = (run: Pace): Record<string, string> =>
  run.finishedAt === null ? { 'retry-after': String(secondsToNextLook(run)) } : {};

type Pace = Pick<RunSummary, 'startedAt' | 'finishedAt' | 'progress'>;

/**
 * Whole seconds after which another look is worth it: a quarter of what a run will still take if it goes on
 * as it did.
 * @param now epoch milliseconds
 */
export function secondsToNextLook({ startedAt, progress }: Pace, now: number = Date.now()): number {
  if (startedAt === null || progress <= 0) return 2;
  const left = ((now - startedAt) / 1000) * ((1 - progress) / progress);
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Math.ceil(left / 4)));
}
