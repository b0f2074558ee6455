/** Moves a word from one cue to its neighbour. */
import {
  breakLines,
  firstWordOf,
  lastWordOf,
} from '../../../server/captions/divide/break-lines.ts';
import { GAP, LINGER } from '../../../server/captions/divide/timing.ts';
import { graphemes } from '../../../server/captions/width.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { cutItalics } from './cut-italics.ts';
import { retimed, shortestOf, toMs } from './available-time.ts';
import { spokenCut, type TimedWord } from './spoken-cut.ts';
import { replaceCues, type Splice } from './splice.ts';

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
  const gap = toMs(GAP);
  const spoken =
    spokenCut({ start: before.start, end: after.end }, left, right, words) ??
    sharedCut(before, after, left);
  const earliest = from + shortestOf(before, settings) + gap;
  const latest = to - shortestOf(after, settings);
  // Two cues that are already as short as allowed keep their times.
  if (earliest > latest) return [before, after];
  const start = Math.min(latest, Math.max(earliest, toMs(spoken.start)));
  // As in the service's own captions, a cue does not last long into a silence.
  const silent = Math.max(toMs(spoken.end + LINGER), from + shortestOf(before, settings));
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
