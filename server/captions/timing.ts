/** When each cue is shown: long enough to read, never over another, never long into a silence. */
import type { CaptionSettings } from '../contract/captions.ts';

/** Comfortable reading, in columns a second: wide characters, of two columns, are read at half of it. */
export const COMFORTABLE_SPEED = 17;
/** A cue may last into the silence after its speech: at most this long, in seconds. */
export const LINGER = 1;
/** The least time between two cues: two frames at 24 a second, in seconds. */
export const GAP = 0.084;
/** A gap shorter than this reads as flicker and is closed to GAP, in seconds. */
const SMALL_GAP = 0.5;
/** How much a short cue may begin before its speech, in seconds. */
const LEAD_IN = 0.2;

/** The speech of a cue in seconds, and its length in columns. */
export interface Spoken {
  start: number;
  end: number;
  columns: number;
}

/** Start and end in whole milliseconds. */
export interface Shown {
  start: number;
  end: number;
}

const ms = (seconds: number): number => Math.round(seconds * 1000);

/**
 * Times cues in order. Starts are those of the speech; an end reaches as far as reading needs and the
 * next cue allows. The result never overlaps, each cue lasts at least 1 ms and at most maxDuration.
 */
export function timeCues(cues: readonly Spoken[], settings: CaptionSettings): Shown[] {
  const longest = ms(settings.maxDuration);
  const shown = cues.map((cue) => {
    const start = ms(cue.start);
    return { start, end: start + Math.min(longest, wantedLength(cue, settings)) };
  });
  for (const [index, cue] of shown.entries()) {
    const next = shown[index + 1];
    if (next && next.start <= cue.start) {
      // Rounded onto one millisecond: the later one moves on.
      next.start = cue.start + 1;
      next.end = Math.max(next.end, next.start + 1);
    }
    if (next) fitBefore(cue, next.start, longest);
    cue.end = Math.max(cue.end, cue.start + 1);
    leadIn(cue, shown[index - 1], settings);
  }
  return shown;
}

function wantedLength(cue: Spoken, { minDuration }: CaptionSettings): number {
  const spoken = cue.end - cue.start;
  const read = Math.max(minDuration, cue.columns / COMFORTABLE_SPEED);
  return Math.max(1, ms(Math.max(spoken, minDuration, Math.min(read, spoken + LINGER))));
}

/** Ends a cue before the next: with the least gap where there is room, touching it where there is not. */
function fitBefore(cue: Shown, nextStart: number, longest: number): void {
  const gap = ms(GAP);
  const room = nextStart - cue.start;
  if (cue.end > nextStart - gap) cue.end = room > 2 * gap ? nextStart - gap : nextStart;
  const left = nextStart - cue.end;
  if (left > gap && left < ms(SMALL_GAP)) {
    cue.end = Math.min(nextStart - gap, cue.start + longest);
  }
}

/** A cue that is still too short borrows from the silence before it. */
function leadIn(cue: Shown, before: Shown | undefined, { minDuration }: CaptionSettings): void {
  const missing = ms(minDuration) - (cue.end - cue.start);
  if (missing <= 0) return;
  const free = cue.start - (before ? before.end + ms(GAP) : 0);
  cue.start -= Math.max(0, Math.min(missing, free, ms(LEAD_IN)));
}
