/** Stretches of time that follow each other become one. */
import type { Stretch } from '../../contract/unheard.ts';

/**
 * The stretches, those that follow each other within a pause as one.
 * @param stretches in order of their starts
 * @param pause in seconds
 * @example
 * const parts = [{ start: 0, end: 2 }, { start: 2.1, end: 3 }, { start: 9, end: 9.5 }];
 * joinedStretches(parts, 0.2); // => [{ start: 0, end: 3 }, { start: 9, end: 9.5 }]
 */
export function joinedStretches(stretches: readonly Stretch[], pause: number): Stretch[] {
  const joined: Stretch[] = [];
  for (const { start, end } of stretches) {
    const last = joined.at(-1);
    if (last && start - last.end <= pause) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
