/** The times that a caption may have: between its neighbours, and snapped to words, shot changes and frames. */
import { lastAtOrBefore, type ReviewCue } from './cue.ts';
import type { TimedWord } from './spoken-cut.ts';
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { TIMING } from '../../../server/captions/divide/timing.ts';

/** When a caption is shown, in seconds. */
type Shown = Readonly<Record<'start' | 'end', number>>;

/** What an edge snaps to; absent fields are ignored. Times in seconds. */
export interface Magnets {
  /** In order. */
  readonly words?: readonly TimedWord[] | undefined;
  /** In ascending order. */
  readonly shots?: readonly number[] | undefined;
  /** The captions on both sides, where they stay in place. */
  readonly neighbours?:
    | { readonly before?: Shown | undefined; readonly after?: Shown | undefined }
    | undefined;
  /** The duration of a frame. */
  readonly frame?: number | undefined;
}

/** The margin before a word at a start, and after it at an end, in seconds. */
const AIR = 0.04;

/**
 * The time to which an edge snaps. A shot change within reach takes precedence over speech and
 * neighbours, because a caption that runs slightly over one flashes; the result then snaps to a frame.
 * @param reach in seconds
 */
export function snapTime(
  time: number,
  edge: 'start' | 'end',
  magnets: Magnets,
  reach: number,
): number {
  return onFrame(catchOf(time, edge, magnets, reach) ?? time, edge, magnets);
}

/**
 * The distance, in seconds, that a whole caption moves when it should move by some seconds: the
 * edge nearer to its snapping target decides.
 * @param reach in seconds
 */
export function snapMove(cue: Shown, by: number, magnets: Magnets, reach: number): number {
  const caught = (['start', 'end'] as const).flatMap((edge) => {
    const at = catchOf(cue[edge] + by, edge, magnets, reach);
    return at === null ? [] : [{ edge, at, moved: Math.abs(at - cue[edge] - by) }];
  });
  const [first, second] = caught;
  const nearer = first && second && second.moved < first.moved ? second : first;
  const { edge, at } = nearer ?? { edge: 'start' as const, at: cue.start + by };
  return onFrame(at, edge, magnets) - cue[edge];
}

/** The time to which an edge snaps; null if nothing is within reach. */
function catchOf(
  time: number,
  edge: 'start' | 'end',
  { words = [], shots = [], neighbours }: Magnets,
  reach: number,
): number | null {
  const shot = nearest(time, around(shots, time), reach);
  if (shot !== null) return shot;
  const beside = edge === 'start' ? neighbours?.before : neighbours?.after;
  const touching = beside
    ? [edge === 'start' ? beside.end + TIMING.gap : beside.start - TIMING.gap]
    : [];
  return nearest(time, [...spokenEdges(words, time, edge), ...touching], reach);
}

/** The nearest frame; beside a neighbour, the nearest one that keeps the gap. */
function onFrame(time: number, edge: 'start' | 'end', { frame, neighbours }: Magnets): number {
  if (!frame) return time;
  const at = Math.round(time / frame) * frame;
  const { before, after } = neighbours ?? {};
  if (
    edge === 'start' &&
    before &&
    time >= before.end + TIMING.gap &&
    at < before.end + TIMING.gap
  ) {
    return at + frame;
  }
  if (
    edge === 'end' &&
    after &&
    time <= after.start - TIMING.gap &&
    at > after.start - TIMING.gap
  ) {
    return at - frame;
  }
  return at;
}

function nearest(time: number, among: readonly number[], reach: number): number | null {
  let best: number | null = null;
  for (const each of among) {
    const distance = Math.abs(each - time);
    if (distance <= reach && (best === null || distance < Math.abs(best - time))) best = each;
  }
  return best;
}

function around(times: readonly number[], time: number): number[] {
  const at = lastAtOrBefore(times.length, (index) => times[index]!, time);
  return times.slice(Math.max(0, at), at + 2);
}

function spokenEdges(
  words: readonly TimedWord[],
  time: number,
  edge: 'start' | 'end',
): readonly number[] {
  const at = lastAtOrBefore(words.length, (index) => words[index]!.start, time);
  return words
    .slice(Math.max(0, at - 1), at + 2)
    .map(({ start, end }) => (edge === 'start' ? Math.max(0, start - AIR) : end + AIR));
}

/** Seconds as whole milliseconds: times are computed in these, to stay exact. */
export const toMs = (seconds: number): number => Math.round(seconds * 1000);

/** From the end of the previous cue to the start of the next, in milliseconds. */
interface AvailableTime {
  readonly from: number;
  readonly to: number;
}

/** The room of the cues from `first` to `last`, within the range of the caption clock. */
export function availableTime(
  cues: readonly ReviewCue[],
  first: number,
  last = first,
): AvailableTime {
  const before = cues[first - 1];
  const after = cues[last + 1];
  return {
    from: before ? toMs(before.end) : 0,
    to: after ? toMs(after.start) : LATEST_MS,
  };
}

/** The duration of a cue, in milliseconds. */
export const lengthOf = (cue: ReviewCue): number => toMs(cue.end) - toMs(cue.start);

/**
 * The shortest duration, in milliseconds, to which another cue's edit may cut a cue: at most its
 * current one.
 */
export const shortestOf = (
  cue: ReviewCue,
  { minDuration }: Pick<CaptionSettings, 'minDuration'>,
): number => Math.min(Math.max(1, toMs(minDuration)), lengthOf(cue));

/** A cue with new times, given in milliseconds. */
export const retimed = (cue: ReviewCue, start: number, end: number): ReviewCue => ({
  ...cue,
  start: start / 1000,
  end: end / 1000,
});

/** The value limited to a range; the lower bound if the bounds are crossed. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, value));
