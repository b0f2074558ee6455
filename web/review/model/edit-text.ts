/** Edits of what a cue says. */
import { breakLines } from '../../../server/captions/break-lines.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Gives a cue a text, with `\n` between its lines. It is kept as typed: spaces at the ends and empty
 * lines go when a file is written, not under the cursor.
 */
export const setText = (cues: readonly ReviewCue[], index: number, text: string): Splice | null =>
  setLines(cues, index, text.split('\n'));

/**
 * Sets a cue's lines anew.
 * @param language BCP 47
 */
export function rebreak(
  cues: readonly ReviewCue[],
  index: number,
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const cue = cues[index];
  return cue ? setLines(cues, index, breakLines(textOf(cue), settings, language)) : null;
}

function setLines(
  cues: readonly ReviewCue[],
  index: number,
  lines: readonly string[],
): Splice | null {
  const cue = cues[index];
  return cue ? replaceCues(cues, index, 1, [{ ...cue, lines }]) : null;
}
