/** Estimates when a place in a caption's text is spoken. */
import { textOf, type ReviewCue } from './model/cue.ts';

/** The time of a place in the text, in seconds: each character takes its share of the caption. */
export function timeAt(cue: ReviewCue, offset: number): number {
  const { length } = textOf(cue);
  return length === 0 ? cue.start : cue.start + (cue.end - cue.start) * (offset / length);
}
