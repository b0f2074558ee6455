/** Edits of several captions at once; positions are in ascending order. */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { rebreak } from './edit-text.ts';
import type { Retiming } from './edit-times.ts';
import { joinCues } from './join-cues.ts';
import { clamp, retimed, toMs } from './available-time.ts';
import { groupAdjacent } from './group-adjacent.ts';
import { replaceCues, type Splice } from './splice.ts';

/** Removes captions: one splice for each run of neighbours, to be applied in order. */
export const removeMany = (cues: readonly ReviewCue[], indices: readonly number[]): Splice[] =>
  groupAdjacent(indices)
    .toReversed()
    .map(([from, to]) => ({ at: from, removed: cues.slice(from, to + 1), inserted: [] }));

/** Breaks the lines of captions again: one splice for each caption that changes. */
export const rebreakMany = (
  cues: readonly ReviewCue[],
  indices: readonly number[],
  settings: CaptionSettings,
  language: string,
): Splice[] => indices.flatMap((index) => rebreak(cues, index, settings, language) ?? []);

/**
 * Merges adjacent captions into one; null if there are fewer than two, or others between them.
 * @param language BCP 47
 */
export function mergeMany(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const [run, more] = groupAdjacent(indices);
  if (!run || more || run[0] === run[1]) return null;
  const [first, ...others] = cues.slice(run[0], run[1] + 1);
  if (!first) return null;
  const whole = joinCues([first, ...others], settings, language);
  return replaceCues(cues, run[0], others.length + 1, [whole]);
}

/**
 * Moves captions by a number of seconds, as far as those that stay allow; null if there are none.
 */
export function shiftMany(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  seconds: number,
): Retiming | null {
  const [first, last] = [indices[0], indices.at(-1)];
  if (first === undefined || last === undefined || Number.isNaN(seconds)) return null;
  const wanted = toMs(seconds);
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [from, to] of groupAdjacent(indices)) {
    const before = cues[from - 1];
    const after = cues[to + 1];
    low = Math.max(low, (before ? toMs(before.end) : 0) - toMs(cues[from]!.start));
    const end = toMs(cues[to]!.end);
    high = Math.min(high, (after ? toMs(after.start) : LATEST_MS) - end);
  }
  const by = clamp(wanted, Math.min(0, low), Math.max(0, high));
  const moved = new Set(indices);
  return {
    at: first,
    cues: cues
      .slice(first, last + 1)
      .map((cue, at) =>
        moved.has(first + at) ? retimed(cue, toMs(cue.start) + by, toMs(cue.end) + by) : cue,
      ),
    limitedBy:
      by === wanted
        ? null
        : { by: wanted < 0 ? 'previous' : 'next', edge: 'move', limit: by / 1000, many: true },
  };
}
