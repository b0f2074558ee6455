/** Writes captions as JSON: numbered cues, with what is worked out from their times and lines. */
import { makeCue, type Caption } from '../cue.ts';

/**
 * The value of a file.
 * @example
 * captionsAsJson([{ start: 0, end: 1, lines: ['Hello'] }]).cues[0]?.index; // => 1
 */
export const captionsAsJson = (cues: readonly Caption[]) => ({
  cues: cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines])),
});
