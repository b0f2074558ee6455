/** One cue, as the contract shapes it. */
import type { CaptionCue } from '../contract/captions.ts';
import { clock } from './clock.ts';

/** What a file of captions needs of a cue: its lines, and its times in seconds. */
export interface TimedLines {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Makes a cue: its clock times and its text follow from the rest.
 * @param index from 1
 * @param start seconds, as is `end`
 * @throws {RangeError} past 99:59:59,999
 */
export const makeCue = (
  index: number,
  start: number,
  end: number,
  lines: string[],
): CaptionCue => ({
  index,
  start,
  end,
  startTime: clock(start),
  endTime: clock(end),
  text: lines.join('\n'),
  lines,
});
