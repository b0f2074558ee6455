/** A word from one cue to its neighbour. */
import { breakLines, firstWordOf, lastWordOf } from '../../../server/captions/break-lines.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Moves a cue's last word to the next cue, or its first word to the one before. The lines of both are
 * set anew, their times stay. Null where the cue would be left without words.
 * @param language BCP 47
 */
export function moveWord(
  cues: readonly ReviewCue[],
  index: number,
  direction: 'next' | 'previous',
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const first = direction === 'next' ? index : index - 1;
  const [before, after] = [cues[first], cues[first + 1]];
  if (!before || !after) return null;
  const texts =
    direction === 'next'
      ? lastToNext(textOf(before), textOf(after))
      : firstToPrevious(textOf(before), textOf(after));
  if (!texts) return null;
  const [top, bottom] = texts.map((text) => breakLines(text, settings, language));
  if (!top || !bottom) return null;
  return replaceCues(cues, first, 2, [
    { ...before, lines: top },
    { ...after, lines: bottom },
  ]);
}

function lastToNext(before: string, after: string): [string, string] | null {
  const text = before.trimEnd();
  const found = lastWordOf(text);
  // A word that is written in another way than it is read, such as an arrow, moves as it is written.
  const word = text.endsWith(found) ? found : (/(?<!\S)\S+$/.exec(text)?.[0] ?? '');
  const rest = text.slice(0, text.length - word.length).trimEnd();
  return word === '' || rest.trim() === '' ? null : [rest, `${word}\n${after}`];
}

function firstToPrevious(before: string, after: string): [string, string] | null {
  const text = after.trimStart();
  const found = firstWordOf(text);
  const word = text.startsWith(found) ? found : (/^\S+/.exec(text)?.[0] ?? '');
  const rest = text.slice(word.length).trimStart();
  return word === '' || rest === '' ? null : [`${before}\n${word}`, rest];
}
