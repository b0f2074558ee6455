/** Packs stretches of speech into windows for a recogniser. Pure; all times in seconds. */
import type { SpeechSegment } from './engine-messages.ts';

/** Longest window: the models are made for at most 30 s. */
export const LONGEST_WINDOW = 28;
/** From this fraction of the longest window on, a window is closed at the next silence. */
const GOOD_PART = 0.7;
/** Speech without a silence is cut with this overlap, so that no word is cut in both windows. */
export const OVERLAP = 2;
/** Voice activity detection cuts off first sounds, so some of the silence is included. */
const PADDING = 0.2;
/** Segments this close are one, because the detector cuts long speech without a silence. */
const TOUCHING = 0.1;

/** A stretch to recognise. It overlaps the previous one if the speech had no silence to cut in. */
export interface Window {
  start: number;
  end: number;
}

/**
 * Packs segments into windows of 20 to 28 s that begin and end in silence; longer speech is cut
 * with an overlap.
 * @param length of the audio of the segments
 * @param longest longest window, if it must be shorter than 28 s
 */
export function packWindows(
  segments: readonly SpeechSegment[],
  length: number,
  longest = LONGEST_WINDOW,
): Window[] {
  const windows: Window[] = [];
  let open: Window | null = null;
  for (const run of speechRuns(segments, length)) {
    if (open && run.end - open.start <= longest && open.end - open.start < longest * GOOD_PART) {
      open.end = run.end;
      continue;
    }
    if (open) windows.push(open);
    const pieces = cutLong(run, longest);
    windows.push(...pieces.slice(0, -1));
    open = pieces.at(-1) ?? null;
  }
  if (open) windows.push(open);
  return windows;
}

/** Padded segments, merged if they touch; paddings meet in the middle of a short silence. */
function speechRuns(segments: readonly SpeechSegment[], length: number): SpeechSegment[] {
  const joined: SpeechSegment[] = [];
  for (const { start, end } of segments) {
    const last = joined.at(-1);
    if (last && start - last.end < TOUCHING) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined.map(({ start, end }, at) => {
    const before = joined[at - 1];
    const after = joined[at + 1];
    return {
      start: Math.max(0, start - Math.min(PADDING, before ? (start - before.end) / 2 : PADDING)),
      end: Math.min(length, end + Math.min(PADDING, after ? (after.start - end) / 2 : PADDING)),
    };
  });
}

/**
 * Equal parts of at most `longest`, each beginning OVERLAP before the end of the previous one.
 */
function cutLong({ start, end }: SpeechSegment, longest: number): Window[] {
  const length = end - start;
  if (length <= longest) return [{ start, end }];
  const count = Math.ceil((length - OVERLAP) / (longest - OVERLAP));
  const step = (length - OVERLAP) / count;
  return Array.from({ length: count }, (_, at) => ({
    start: start + at * step,
    end: start + (at + 1) * step + OVERLAP,
  }));
}
