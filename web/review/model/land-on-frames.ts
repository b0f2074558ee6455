/** Moves the times that an edit changes to frames of the picture. */
import { TIMING } from '../../../server/captions/divide/timing.ts';
import { frameAt, secondsAtFrame } from '../../../server/captions/timestamps.ts';
import type { ReviewCue } from './cue.ts';
import { applySplice, type Splice } from './splice.ts';

/** The frames on which captions begin and end. */
export interface FrameGrid {
  /** Frames a second, exactly. */
  readonly rate: number;
  /** The frames between captions that follow one another; null if no rule says how many. */
  readonly gapFrames: number | null;
}

/** The difference at which a gap counts as the usual one, in seconds. */
const SLACK = 0.002;

/**
 * Splices whose new times are on frames; times that stay are not touched. Where an edit pushed a neighbour to the usual
 * gap, the gap is that of the grid.
 * @param cueId the caption that is edited: its neighbours give way
 */
export function landOnFrames(
  cues: readonly ReviewCue[],
  splices: readonly Splice[],
  grid: FrameGrid,
  cueId: number | null,
): Splice[] {
  let now = cues;
  return splices.map((splice) => {
    const landed = { ...splice, inserted: landedCues(now, splice, grid, cueId) };
    now = applySplice(now, landed);
    return landed;
  });
}

function landedCues(
  cues: readonly ReviewCue[],
  { at, removed, inserted }: Splice,
  { rate, gapFrames }: FrameGrid,
  cueId: number | null,
): ReviewCue[] {
  const known = new Set(removed.flatMap(({ start, end }) => [start, end]));
  const before = cues[at - 1]?.end ?? 0;
  const after = cues[at + removed.length]?.start ?? Number.POSITIVE_INFINITY;
  /** The nearest frame that is not beyond a caption that stays, if the time was not. */
  const landed = (time: number): number => {
    if (known.has(time)) return time;
    const frame = frameAt(time, rate);
    const seconds = secondsAtFrame(frame, rate);
    if (time >= before && seconds < before) return secondsAtFrame(frame + 1, rate);
    if (time <= after && seconds > after) return secondsAtFrame(frame - 1, rate);
    return seconds;
  };
  const made = inserted.map((cue) => {
    const start = landed(cue.start);
    const end = landed(cue.end);
    const least = secondsAtFrame(frameAt(start, rate) + 1, rate);
    return { ...cue, start, end: end > start ? end : least };
  });
  for (const [index, cue] of made.entries()) {
    const next = made[index + 1];
    const gap = next ? inserted[index + 1]!.start - inserted[index]!.end : Number.NaN;
    /** Where a caption was divided. */
    const isCut = gap === 0 && !known.has(inserted[index]!.end);
    if (gapFrames === null || !next || (!isCut && Math.abs(gap - TIMING.gap) > SLACK)) continue;
    const end = secondsAtFrame(frameAt(next.start, rate) - gapFrames, rate);
    const start = secondsAtFrame(frameAt(cue.end, rate) + gapFrames, rate);
    if ((isCut || cue.id !== cueId) && end > cue.start) made[index] = { ...cue, end };
    else if (start < next.end) made[index + 1] = { ...next, start };
  }
  // The objects of captions that stay are kept, because what is known of them hangs on those.
  return made.map((cue, index) => {
    const was = inserted[index]!;
    return was.start === cue.start && was.end === cue.end ? was : cue;
  });
}
