/** Times the display of cues: long enough to read, never overlapping, and never long into a silence. */
import type { CaptionSettings } from '../../contract/captions.ts';

/** Reading speeds in characters per second, and times in seconds. */
export const TIMING = {
  /** The reading speed that times aim at, in columns a second; wide characters take two columns. */
  targetSpeed: 17,
  /** Faster reading than this is hard to follow, in columns a second. */
  fastSpeed: 20,
  /** The longest time that a cue stays after its speech so that it can be read, in seconds. */
  linger: 1,
  /** The shortest gap between two cues, in seconds: two frames at 24 a second. */
  gap: 0.084,
  /** A cue that is too short starts at most this early before its speech, in seconds. */
  leadIn: 0.2,
  /** One that is still too short then starts at most this early, at the end of the cue before it. */
  longLead: 0.4,
} as const;

/** A gap of at least this many seconds looks like a pause; a shorter one looks like flicker. */
const SMALL_GAP = 0.5;
/** It starts at most this early before it takes the gap after it: viewers see an early start sooner than a lost gap. */
const SMALL_LEAD = TIMING.gap;

/** The speech of a cue in seconds, and its length in columns. */
interface Spoken {
  start: number;
  end: number;
  columns: number;
}

/** Start and end in whole milliseconds. */
interface Shown {
  start: number;
  end: number;
}

const ms = (seconds: number): number => Math.round(seconds * 1000);

/**
 * Times cues in order. A cue starts with its speech. If it would be too short to read, it starts up to TIMING.leadIn
 * earlier, but more than two frames earlier only if using the gap after it is not enough. If it is still too short, it
 * starts up to TIMING.longLead earlier, at the end of the cue before it. It ends as late as reading needs and the next
 * cue allows. Cues do not overlap. Each lasts at least 1 ms and at most maxDuration, and at least minDuration wherever
 * the speech of its neighbours leaves the time. The gap between two cues is zero or at least TIMING.gap; it is never
 * between that and SMALL_GAP unless maxDuration requires it. A cue that is too fast to read has no gap beside it if its neighbour is
 * near and can spare the time.
 * @example
 * timeCues([{ start: 1, end: 1.2, columns: 5 }], DEFAULT_CAPTION_SETTINGS);
 * // => [{ start: 1000, end: 1800 }]
 */
export function timeCues(cues: readonly Spoken[], settings: CaptionSettings): Shown[] {
  const longest = ms(settings.maxDuration);
  const shown = startInOrder(cues);
  for (let index = 0; index < shown.length; index += 1) {
    const cue = shown[index]!;
    const nextStart = shown[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const wanted = Math.min(longest, wantedLength(cues[index]!, settings));
    cue.end = endBefore(nextStart, cue.start, cue.start + wanted);
  }
  for (let index = 0; index < shown.length; index += 1) lengthen(index, shown, cues, settings);
  // In order, because a change to one cue may move the start of the next.
  for (let index = 1; index < shown.length; index += 1) {
    const before = index - 1;
    adjustGap(shown[before]!, shown[index]!, longest, needed(cues[before]!, settings));
    keepLead(index, shown, cues, settings);
  }
  for (let index = 0; index < shown.length; index += 1) takeGap(index, shown, cues, settings);
  return shown;
}

/** Separates the starts of cues that round to the same millisecond. */
function startInOrder(cues: readonly Spoken[]): Shown[] {
  let earliest = 0;
  return cues.map((cue) => {
    const start = Math.max(earliest, ms(cue.start));
    earliest = start + 1;
    return { start, end: start + 1 };
  });
}

function wantedLength({ start, end, columns }: Spoken, { minDuration }: CaptionSettings): number {
  const spoken = end - start;
  const read = Math.min(columns / TIMING.targetSpeed, spoken + TIMING.linger);
  return Math.max(1, ms(Math.max(spoken, minDuration, read)));
}

/** Leaves the smallest gap before the next cue if there is time, otherwise none. */
function endBefore(nextStart: number, start: number, end: number): number {
  const gap = ms(TIMING.gap);
  if (end <= nextStart - gap) return end;
  return nextStart - start > 2 * gap ? nextStart - gap : nextStart;
}

/** The least time that a cue needs, in milliseconds: to be noticed, and to be read fast. */
const needed = ({ columns }: Spoken, { minDuration, maxDuration }: CaptionSettings): number =>
  Math.max(ms(minDuration), Math.min(ms(maxDuration), ms(columns / TIMING.fastSpeed)));

/**
 * Starts a cue that is too short to read a little early, in time that the previous cue does not need: more than
 * SMALL_LEAD early only for the time that the gap after it cannot provide. A cue below the minimum duration lasts up to
 * the next cue if necessary.
 */
function lengthen(
  index: number,
  shown: readonly Shown[],
  cues: readonly Spoken[],
  settings: CaptionSettings,
): void {
  const cue = shown[index]!;
  const least = ms(settings.minDuration);
  const missing = needed(cues[index]!, settings) - (cue.end - cue.start);
  if (missing <= 0) return;
  const before = shown[index - 1];
  const nextStart = shown[index + 1]?.start ?? Number.POSITIVE_INFINITY;
  // The time that adjustGap will give it.
  const after = nextStart - cue.end < ms(SMALL_GAP) ? nextStart - cue.end : 0;
  const free = cue.start - neededUntil(index - 1, shown, cues, settings);
  const apart = Math.max(0, before ? free - ms(TIMING.gap) : free);
  let lead = Math.max(
    Math.min(missing, ms(SMALL_LEAD), apart),
    Math.min(missing - after, ms(TIMING.leadIn), free),
    0,
  );
  const mayTouch = before && cue.start - lead - before.start <= ms(settings.maxDuration);
  if (!mayTouch) lead = Math.min(lead, apart);
  cue.start -= lead;
  if (before && lead > 0) {
    const early = cue.start - ms(TIMING.gap);
    // If the gap before it is needed too, the two cues touch.
    if (before.end > early) before.end = free - lead < ms(TIMING.gap) ? cue.start : early;
  }
  if (cue.end - cue.start < least) cue.end = Math.min(nextStart, cue.start + least);
}

/**
 * The time until which a cue needs its place: the end of its speech, minimum duration and reading time.
 * @param cut it may end so many milliseconds before its speech
 */
function neededUntil(
  index: number,
  shown: readonly Shown[],
  cues: readonly Spoken[],
  settings: CaptionSettings,
  cut = 0,
): number {
  const cue = shown[index];
  const spoken = cues[index];
  if (!cue || !spoken) return 0;
  const read = Math.min(needed(spoken, settings), wantedLength(spoken, settings));
  const until = Math.max(ms(spoken.end) - cut, cue.start + read);
  return Math.min(until, cue.start + ms(settings.maxDuration));
}

/**
 * If adjustGap has moved a cue to more than TIMING.leadIn before its speech, starts it a gap after the previous cue instead,
 * and restores its minimum duration.
 */
function keepLead(
  index: number,
  shown: readonly Shown[],
  cues: readonly Spoken[],
  { minDuration }: CaptionSettings,
): void {
  const cue = shown[index]!;
  if (cue.start >= ms(cues[index]!.start) - ms(TIMING.leadIn)) return;
  cue.start += ms(TIMING.gap);
  const nextStart = shown[index + 1]?.start ?? Number.POSITIVE_INFINITY;
  cue.end = Math.max(cue.end, Math.min(nextStart, cue.start + ms(minDuration)));
}

/**
 * Starts a cue that is still too short to read in the gap before it, and in time that the previous cue can spare at the
 * end of its speech: up to TIMING.longLead before its own speech. If less than TIMING.gap would remain, the two cues touch.
 */
function takeGap(
  index: number,
  shown: readonly Shown[],
  cues: readonly Spoken[],
  settings: CaptionSettings,
): void {
  const cue = shown[index]!;
  const before = shown[index - 1];
  const longest = ms(settings.maxDuration);
  const missing = needed(cues[index]!, settings) - (cue.end - cue.start);
  if (missing <= 0) return;
  // Where a gap follows, a cue ends before its speech in any case.
  const spared = neededUntil(index - 1, shown, cues, settings, ms(TIMING.gap));
  const free = before ? Math.min(before.end, spared) : 0;
  const earliest = ms(cues[index]!.start) - ms(TIMING.longLead);
  const start = Math.max(free, earliest, cue.start - missing);
  if (start >= cue.start || (before && start - before.start > longest)) return;
  cue.start = start;
  if (!before) return;
  before.end = Math.min(before.end, start);
  adjustGap(before, cue, longest, needed(cues[index - 1]!, settings));
}

/**
 * Adjusts the gap between two cues. A gap that would flicker is reduced to GAP. A cue that is still short of time gives
 * up its gap altogether. Gaps below GAP are closed by extending the cue or, if it would last too long, by starting the
 * next one earlier.
 * @param wanted the milliseconds that the cue needs
 */
function adjustGap(cue: Shown, next: Shown, longest: number, wanted: number): void {
  const gap = ms(TIMING.gap);
  const latest = cue.start + longest;
  const left = next.start - cue.end;
  if (left > gap && left < ms(SMALL_GAP)) cue.end = Math.min(next.start - gap, latest);
  const lacksTime = cue.end - cue.start < wanted && next.start - cue.end <= gap;
  if (lacksTime && next.start <= latest) cue.end = next.start;
  const rest = next.start - cue.end;
  if (rest <= 0 || rest >= gap) return;
  if (next.start <= latest) cue.end = next.start;
  else {
    next.start = cue.end;
    next.end = Math.min(next.end, next.start + longest);
  }
}
