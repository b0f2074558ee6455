/** Finds caption blocks on the timeline: those in view, and the one under the pointer. */
import { lastStartedAt, type ReviewCue } from '../model/cue.ts';
import type { TimeView } from '../model/time-view.ts';

/** The distance to an edge that counts as a hit, in pixels: more for a finger. */
const REACH = { mouse: 5, touch: 14 };

/** The part of a caption under the pointer. */
export interface Hit {
  readonly index: number;
  readonly part: 'start' | 'end' | 'whole';
}

/** The positions of the captions in a view; the end is exclusive. */
export function blocksIn(
  cues: readonly ReviewCue[],
  { left, span }: TimeView,
): [from: number, to: number] {
  const first = lastStartedAt(cues, left);
  const from = first >= 0 && cues[first]!.end > left ? first : first + 1;
  return [from, lastStartedAt(cues, left + span) + 1];
}

/** The edge or caption at a time; edges of the current caption take precedence. */
export function hitAt(
  cues: readonly ReviewCue[],
  time: number,
  secondsAPixel: number,
  pointer: 'mouse' | 'touch',
  current: number,
): Hit | null {
  const reach = REACH[pointer] * secondsAPixel;
  const near = lastStartedAt(cues, time);
  let best: (Hit & { distance: number }) | null = null;
  for (const index of [near - 1, near, near + 1]) {
    const cue = cues[index];
    if (!cue) continue;
    for (const part of ['start', 'end'] as const) {
      // The middle half of a short block is for moving it.
      const own = Math.min(reach, (cue.end - cue.start) / 4);
      const inside = part === 'start' ? time - cue.start : cue.end - time;
      const distance = Math.abs(inside) - (index === current ? reach / 2 : 0);
      if (inside > own || inside < -reach) continue;
      if (!best || distance < best.distance) best = { index, part, distance };
    }
  }
  if (best) return { index: best.index, part: best.part };
  const cue = cues[near];
  return cue && time < cue.end ? { index: near, part: 'whole' } : null;
}
