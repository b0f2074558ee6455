/** Edits the text of a cue. */
import { breakLines } from '../../../server/captions/divide/break-lines.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { isDialogue } from './cue-speakers.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Sets the text of a cue, with `\n` between its lines. It is kept as typed: trailing spaces and
 * empty lines are removed when a file is written, not while the user types.
 */
export const setText = (cues: readonly ReviewCue[], index: number, text: string): Splice | null =>
  setLines(cues, index, text.split('\n'));

/**
 * Breaks a cue's text into lines again.
 * @param language BCP 47
 */
export function rebreak(
  cues: readonly ReviewCue[],
  index: number,
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const cue = cues[index];
  // In a dialogue, each line belongs to its speaker.
  if (!cue || isDialogue(cue)) return null;
  return setLines(cues, index, breakLines(textOf(cue), settings, language));
}

/**
 * Puts italic tags around a range of a cue's text, or removes them if they are directly around it or at its ends.
 * @param from offset in `textOf(cue)`, before `to`
 * @returns the splice and the new offsets of the range; null if there is nothing to make italic
 */
export function toggleItalics(
  cues: readonly ReviewCue[],
  index: number,
  from: number,
  to: number,
): { splice: Splice; from: number; to: number } | null {
  const cue = cues[index];
  if (!cue) return null;
  const text = textOf(cue);
  const [before, inside, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  const bare = inside.replaceAll(/<\/?i>/gi, '');
  if (bare.trim() === '') return null;
  const isAround = before.toLowerCase().endsWith('<i>') && after.toLowerCase().startsWith('</i>');
  const isItalic = isAround || /^<i>[^]*<\/i>$/i.test(inside);
  const start = isAround ? from - '<i>'.length : isItalic ? from : from + '<i>'.length;
  const whole = isAround
    ? before.slice(0, -'<i>'.length) + bare + after.slice('</i>'.length)
    : isItalic
      ? before + bare + after
      : `${before}<i>${bare}</i>${after}`;
  const splice = setText(cues, index, whole);
  return splice && { splice, from: start, to: start + bare.length };
}

function setLines(
  cues: readonly ReviewCue[],
  index: number,
  lines: readonly string[],
): Splice | null {
  const cue = cues[index];
  return cue ? replaceCues(cues, index, 1, [{ ...cue, lines }]) : null;
}
