/** Packs stretches of speech into windows for a recogniser. All times are in seconds. */
import type { SpeechSegment } from './engine-messages.ts';

/** The longest window; the models are made for at most 30 s. */
export const LONGEST_WINDOW = 28;
/** The fraction of the longest window from which on a window is closed at the next silence. */
const GOOD_PART = 0.7;
/** The overlap of windows in speech without a silence, so that no word is cut in both. */
export const OVERLAP = 2;
/**
 * The silence included on either side of speech, because voice activity detection cuts off initial and final sounds;
 * faster-whisper includes as much.
 */
const PADDING = 0.4;
/** Segments closer than this are one, because the detector also cuts long speech where there is no silence. */
const TOUCHING = 0.1;

/** A stretch to recognise. It overlaps the previous one if the speech had no silence in which to cut. */
interface Window {
  start: number;
  end: number;
}

/**
 * Packs segments into windows of 20 to 28 s that begin and end in silence; longer speech is cut with an overlap.
 * @param length that of the audio in which the segments are
 * @param longest the longest window, if it must be shorter than 28 s
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

/** The segments with padding, merged if they touch; in a short silence, two paddings meet in the middle. */
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
 * Divides a stretch into equal parts of at most `longest`, each beginning OVERLAP before the end of the previous one.
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
