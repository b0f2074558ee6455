/** Edits the text of a cue. */
import { breakLines, firstWordOf, lastWordOf } from '../../../server/captions/divide/lines.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { graphemes } from '../../../server/captions/width.ts';
import { cutItalics, type ReviewCue, textOf } from './cue.ts';
import { isDialogue } from './cue-speakers.ts';
import { replaceCues, type Splice } from './splice.ts';
import { retimed, shortestOf, toMs } from './snap.ts';
import { spokenCut, type TimedWord } from './spoken-cut.ts';
import { TIMING } from '../../../server/captions/divide/timing.ts';

/**
 * Sets the text of a cue, with `\n` between its lines. It is kept as typed: trailing spaces and
 * empty lines are removed when a file is written, not while the user types.
 */
export const setText = (cues: readonly ReviewCue[], index: number, text: string): Splice | null =>
  setLines(cues, index, text.split('\n'));

/** Puts a label before a cue's text: on a line of its own, if there is one left. */
export function putBefore(
  cues: readonly ReviewCue[],
  index: number,
  label: string,
  { maxLines }: Pick<CaptionSettings, 'maxLines'>,
): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  const text = textOf(cue);
  if (text === '') return setText(cues, index, label);
  // In a dialogue, each line belongs to its speaker.
  const isAlone = cue.lines.length < maxLines && !isDialogue(cue);
  return setText(cues, index, `${label}${isAlone ? '\n' : ' '}${text}`);
}

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

/**
 * Moves a cue's last word to the next cue, or its first word to the previous one. The cut between
 * them moves to where the words around it are spoken, as far as both cues stay long enough; the
 * lines of both are broken again. Null if the cue would be left without words.
 * @param language BCP 47
 * @param words the transcript's, in order
 */
export function moveWord(
  cues: readonly ReviewCue[],
  index: number,
  direction: 'next' | 'previous',
  settings: CaptionSettings,
  language: string,
  words: readonly TimedWord[],
): Splice | null {
  const first = direction === 'next' ? index : index - 1;
  const [before, after] = [cues[first], cues[first + 1]];
  if (!before || !after) return null;
  const texts =
    direction === 'next'
      ? lastToNext(textOf(before), textOf(after))
      : firstToPrevious(textOf(before), textOf(after));
  if (!texts) return null;
  const [left, right] = cutItalics(...texts);
  const [one, other] = cutAt(before, after, texts, settings, words);
  return replaceCues(cues, first, 2, [
    { ...one, lines: breakLines(left, settings, language) },
    { ...other, lines: breakLines(right, settings, language) },
  ]);
}

/** Both cues, with the cut where their new texts meet in the speech. */
function cutAt(
  before: ReviewCue,
  after: ReviewCue,
  [left, right]: readonly [string, string],
  settings: CaptionSettings,
  words: readonly TimedWord[],
): [ReviewCue, ReviewCue] {
  const [from, to] = [toMs(before.start), toMs(after.end)];
  const gap = toMs(TIMING.gap);
  const spoken =
    spokenCut({ start: before.start, end: after.end }, left, right, words) ??
    sharedCut(before, after, left);
  const earliest = from + shortestOf(before, settings) + gap;
  const latest = to - shortestOf(after, settings);
  // Two cues that are already as short as allowed keep their times.
  if (earliest > latest) return [before, after];
  const start = Math.min(latest, Math.max(earliest, toMs(spoken.start)));
  // As in the service's own captions, a cue does not last long into a silence.
  const silent = Math.max(toMs(spoken.end + TIMING.linger), from + shortestOf(before, settings));
  return [retimed(before, from, Math.min(start - gap, silent)), retimed(after, start, to)];
}

/**
 * The cut that gives each character the same time, for when the transcript has no times for them.
 */
function sharedCut(
  before: ReviewCue,
  after: ReviewCue,
  left: string,
): { start: number; end: number } {
  const [was, is] = [graphemes(textOf(before)), graphemes(left)];
  const cut =
    is < was
      ? before.end - ((before.end - before.start) * (was - is)) / was
      : after.start + ((after.end - after.start) * (is - was)) / graphemes(textOf(after));
  return { start: cut, end: cut };
}

function lastToNext(before: string, after: string): [string, string] | null {
  const text = before.trimEnd();
  const found = lastWordOf(text);
  // A token that is not read as it is written, such as an arrow, is moved as written.
  const word = text.endsWith(found) ? found : /(?<!\S)\S+$/.exec(text)![0];
  const rest = text.slice(0, text.length - word.length).trimEnd();
  return word === '' || rest.trim() === '' ? null : [rest, `${word}\n${after}`];
}

function firstToPrevious(before: string, after: string): [string, string] | null {
  const text = after.trimStart();
  const found = firstWordOf(text);
  const word = text.startsWith(found) ? found : /^\S+/.exec(text)![0];
  const rest = text.slice(word.length).trimStart();
  return word === '' || rest === '' ? null : [`${before}\n${word}`, rest];
}
