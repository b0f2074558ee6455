/** Creates one cue of the contract. */
import type { CaptionCue } from '../contract/captions.ts';
import { formatTimestamp } from './timestamps.ts';

/** The part of a cue that a caption file needs: its lines and its times in seconds. */
export interface TimedLines {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** The position of a caption in the picture; by default at the bottom, in the middle. */
export interface Placement {
  readonly vertical?: 'top' | 'middle';
  /** The edge to which its lines are aligned, in the direction of their script. */
  readonly align?: 'start' | 'end';
}

/** A caption with everything that a file can hold. */
export interface Caption extends TimedLines {
  /** The speaker of each line; empty if unknown. */
  readonly speakers?: readonly string[];
  readonly placement?: Placement;
}

/**
 * Creates a cue, with its timestamps and text computed.
 * @param index from 1
 * @param start seconds, as is `end`
 * @throws {RangeError} past 99:59:59,999
 * @example
 * const cue = makeCue(1, 0.5, 2, ['Hello', 'there']);
 * cue.text; // => 'Hello\nthere'
 * cue.startTime; // => '00:00:00,500'
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
  startTime: formatTimestamp(start),
  endTime: formatTimestamp(end),
  text: lines.join('\n'),
  lines,
});
