/** Estimates the time at which a position in a caption's text is spoken. */
import { textOf, type ReviewCue } from './cue.ts';

/** The time of a position in the text, in seconds: each character takes an equal share. */
export function timeAt(cue: ReviewCue, offset: number): number {
  const { length } = textOf(cue);
  return length === 0 ? cue.start : cue.start + (cue.end - cue.start) * (offset / length);
}
