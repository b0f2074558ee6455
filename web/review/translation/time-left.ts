/** How long a translation in progress still takes, from what was seen of it here. */

/** What was seen of a translation: its progress 0..1 at a time in milliseconds. */
export interface Look {
  id: string;
  at: number;
  progress: number;
}

/** Shorter looks, and smaller steps, say nothing about the pace; in milliseconds and as a share. */
const LEAST = { ms: 5000, progress: 0.02 };

/**
 * The seconds that are left, by the pace since a first look; null while nothing is known about it.
 * @example
 * secondsLeft({ id: 't', at: 0, progress: 0.2 }, { id: 't', at: 30_000, progress: 0.5 }); // => 50
 */
export function secondsLeft(first: Look, now: Look): number | null {
  const [ms, gained] = [now.at - first.at, now.progress - first.progress];
  if (now.id !== first.id || ms < LEAST.ms || gained < LEAST.progress) return null;
  return Math.round(((ms / gained) * (1 - now.progress)) / 1000);
}
