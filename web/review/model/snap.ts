/** Snaps caption edges to words, shot changes and frames. */
import type { TimedWord } from './spoken-cut.ts';
import { lastAtOrBefore } from '../last-at-or-before.ts';

/** What an edge snaps to; absent fields are ignored. Times in seconds. */
export interface Magnets {
  /** In order. */
  readonly words?: readonly TimedWord[] | undefined;
  /** In ascending order. */
  readonly shots?: readonly number[] | undefined;
  /** The duration of a frame. */
  readonly frame?: number | undefined;
}

/** The margin before a word at a start, and after it at an end, in seconds. */
const AIR = 0.04;

/**
 * The time to which an edge snaps. A shot change within reach takes precedence over speech, because
 * a caption that runs slightly over one flashes; the result then snaps to the nearest frame.
 * @param reach in seconds
 */
export function snapTime(
  time: number,
  edge: 'start' | 'end',
  { words = [], shots = [], frame }: Magnets,
  reach: number,
): number {
  const shot = nearest(time, around(shots, time), reach);
  const speech = shot ?? nearest(time, spokenEdges(words, time, edge), reach);
  const at = speech ?? time;
  return frame ? Math.round(at / frame) * frame : at;
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
  const at = lastAtOrBefore(times.length, (index) => times[index] ?? 0, time);
  return times.slice(Math.max(0, at), at + 2);
}

function spokenEdges(
  words: readonly TimedWord[],
  time: number,
  edge: 'start' | 'end',
): readonly number[] {
  const at = lastAtOrBefore(words.length, (index) => words[index]?.start ?? 0, time);
  return words
    .slice(Math.max(0, at - 1), at + 3)
    .map(({ start, end }) => (edge === 'start' ? Math.max(0, start - AIR) : end + AIR));
}
