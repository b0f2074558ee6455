/** Cues that come and go. */
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { roomOf, toMs } from './room.ts';
import type { Splice } from './splice.ts';

/** How long a new cue is shown, in milliseconds, where there is the time. */
const NEW_CUE = 2000;

/**
 * Puts an empty cue into the gap after another: right after it, for 2 s or as long as the gap is; null
 * where the gap is shorter than `minDuration`.
 * @param index that of the cue before it; -1 puts it right before the first
 * @param id that of the new cue
 */
export function insertAfter(
  cues: readonly ReviewCue[],
  index: number,
  id: number,
  { minDuration }: CaptionSettings,
): Splice | null {
  if (!Number.isInteger(index) || index < -1 || index >= cues.length) return null;
  const { from, to } = roomOf(cues, index + 1, index);
  const length = Math.min(NEW_CUE, to - from);
  if (length < Math.max(1, toMs(minDuration))) return null;
  const start = index === -1 && cues.length > 0 ? to - length : from;
  const cue = { id, start: start / 1000, end: (start + length) / 1000, lines: [''] };
  return { at: index + 1, removed: [], inserted: [cue] };
}

/** Takes a cue away. */
export function remove(cues: readonly ReviewCue[], index: number): Splice | null {
  const cue = cues[index];
  return cue ? { at: index, removed: [cue], inserted: [] } : null;
}
