/** Edits of several captions at once; positions are in ascending order. */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import { GAP } from '../../../server/captions/divide/timing.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { rebreak } from './edit-text.ts';
import type { Retiming } from './edit-times.ts';
import { joinCues } from './join-cues.ts';
import { clamp, lengthOf, retimed, shortestOf, toMs } from './available-time.ts';
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
 * @param limits how short those beside them may become to make room; null if they stay as they are
 */
export function shiftMany(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  seconds: number,
  limits: Pick<CaptionSettings, 'minDuration'> | null = null,
): Retiming | null {
  const [first, last] = [indices[0], indices.at(-1)];
  if (first === undefined || last === undefined || Number.isNaN(seconds)) return null;
  const wanted = toMs(seconds);
  const gap = toMs(GAP);
  const room = (cue: ReviewCue): number =>
    limits ? Math.max(0, lengthOf(cue) - shortestOf(cue, limits) - gap) : 0;
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [from, to] of groupAdjacent(indices)) {
    const before = cues[from - 1];
    const after = cues[to + 1];
    const earliest = before ? toMs(before.end) - room(before) : 0;
    low = Math.max(low, earliest - toMs(cues[from]!.start));
    const latest = after ? toMs(after.start) + room(after) : LATEST_MS;
    high = Math.min(high, latest - toMs(cues[to]!.end));
  }
  const by = clamp(wanted, Math.min(0, low), Math.max(0, high));
  const chosen = new Set(indices);
  const moved = cues.map((cue, at) =>
    chosen.has(at) ? retimed(cue, toMs(cue.start) + by, toMs(cue.end) + by) : cue,
  );
  // One that stays is cut only by a caption that moves towards it.
  const cut = (cue: ReviewCue, at: number): ReviewCue => {
    const [start, end] = [toMs(cue.start), toMs(cue.end)];
    const towards = by > 0 ? at - 1 : at + 1;
    if (chosen.has(at) || !chosen.has(towards)) return cue;
    return by > 0
      ? retimed(cue, Math.max(start, Math.min(toMs(moved[towards]!.end) + gap, end - 1)), end)
      : retimed(cue, start, Math.min(end, Math.max(toMs(moved[towards]!.start) - gap, start + 1)));
  };
  const [from, to] = [Math.max(0, first - 1), Math.min(cues.length - 1, last + 1)];
  return {
    at: from,
    cues: moved.slice(from, to + 1).map((cue, at) => (limits ? cut(cue, from + at) : cue)),
    limitedBy:
      by === wanted
        ? null
        : { by: wanted < 0 ? 'previous' : 'next', edge: 'move', limit: by / 1000, many: true },
  };
}
