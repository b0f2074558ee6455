/** Stretches of speech → windows that a recogniser takes at once. Pure; all in seconds. */
import type { SpeechSegment } from './engine-messages.ts';

/** No window is longer: the models are made for at most 30 s. */
export const LONGEST_WINDOW = 28;
/** A window is closed at the next silence from here on. */
const GOOD_WINDOW = 20;
/** Speech without a silence is cut with this much heard twice, so that no word is cut in both. */
export const OVERLAP = 2;
/** Voice activity cuts the first sound of a word: a little of the silence is heard too. */
const PADDING = 0.2;
/** Segments this close are one: the detector cuts long speech without a silence. */
const TOUCHING = 0.1;

/** A stretch to recognise. It overlaps the one before where speech had no silence to cut at. */
export interface Window {
  start: number;
  end: number;
}

/**
 * Packs segments into windows of 20 to 28 s that begin and end in silence; speech that is longer is
 * cut with an overlap.
 * @param length of the audio the segments are from
 */
export function packWindows(segments: readonly SpeechSegment[], length: number): Window[] {
  const windows: Window[] = [];
  let open: Window | null = null;
  for (const run of speechRuns(segments, length)) {
    if (open && run.end - open.start <= LONGEST_WINDOW && open.end - open.start < GOOD_WINDOW) {
      open.end = run.end;
      continue;
    }
    if (open) windows.push(open);
    const pieces = cutLong(run);
    windows.push(...pieces.slice(0, -1));
    open = pieces.at(-1) ?? null;
  }
  if (open) windows.push(open);
  return windows;
}

/** Padded segments, those that touch made one; paddings meet in the middle of a short silence. */
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

/** Equal parts of at most LONGEST_WINDOW, each beginning OVERLAP before the last one's end. */
function cutLong({ start, end }: SpeechSegment): Window[] {
  const length = end - start;
  if (length <= LONGEST_WINDOW) return [{ start, end }];
  const count = Math.ceil((length - OVERLAP) / (LONGEST_WINDOW - OVERLAP));
  const step = (length - OVERLAP) / count;
  return Array.from({ length: count }, (_, at) => ({
    start: start + at * step,
    end: start + (at + 1) * step + OVERLAP,
  }));
}
