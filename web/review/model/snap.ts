/** Times that edges are drawn to: where words begin and end, where a shot changes, where a frame begins. */
import type { TimedWord } from './spoken-cut.ts';
import { lastAtOrBefore } from '../last-at-or-before.ts';

/** What an edge is drawn to; what is left out draws nothing. Times in seconds. */
export interface Magnets {
  /** In order. */
  readonly words?: readonly TimedWord[] | undefined;
  /** In ascending order. */
  readonly shots?: readonly number[] | undefined;
  /** How long a frame lasts. */
  readonly frame?: number | undefined;
}

/** A start stands this much before its word, and an end as much after it, in seconds. */
const AIR = 0.04;

/**
 * The time that an edge goes to. A shot change within reach comes before speech, for a caption that
 * hangs over one flashes; what is left then goes to the frame it is nearest to.
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
