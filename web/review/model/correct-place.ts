/** Replaces the words of a correction in the cues. */
import { breakLines } from '../../../server/captions/divide/break-lines.ts';
import { graphemes } from '../../../server/captions/width.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { Place } from './correction-places.ts';
import type { Wording } from './correction-wordings.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { dividePhrase } from './divide-phrase.ts';
import { replaceText } from './replace-text.ts';
import type { Splice } from './splice.ts';

/**
 * The splice that puts the wanted words in a place. A cue's lines are broken again only where one
 * has become too long.
 * @throws {RangeError} if the place is not in the cues
 */
export function replaceAt(
  cues: readonly ReviewCue[],
  place: Place,
  wording: Wording,
  settings: CaptionSettings,
  language: string,
): Splice {
  const { index, from, to } = place;
  const removed = cues.slice(index, index + place.cues);
  const [first, second] = removed;
  if (!first) throw new RangeError(`There is no cue at ${index}.`);
  const text = removed.map(textOf).join('\n');
  const wanted = sentenceCase(text.slice(from, to), wording);
  const withText = (cue: ReviewCue, text: string): ReviewCue => ({
    ...cue,
    lines: fitLines(text, cue.lines, settings, language),
  });
  if (!second) {
    return { at: index, removed, inserted: [withText(first, replaceText(text, from, to, wanted))] };
  }
  const parts = dividePhrase(text, place, textOf(first).length, wanted);
  const inserted =
    parts.length === 1
      ? [withText({ ...first, end: second.end }, parts[0])]
      : [withText(first, parts[0]), withText(second, parts[1])];
  return { at: index, removed, inserted };
}

/** Keeps the capital letter of a word at the start of a sentence. */
const sentenceCase = (current: string, { found, wanted }: Wording): string =>
  /^\p{Lu}/u.test(current) && /^\p{Ll}/u.test(found)
    ? wanted.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
    : wanted;

function fitLines(
  text: string,
  before: readonly string[],
  settings: CaptionSettings,
  language: string,
): string[] {
  const lines = text.split('\n');
  // A line that was too long before the correction is left alone.
  const isTooLong = lines.some(
    (line) => graphemes(line) > settings.maxLineChars && !before.includes(line),
  );
  return isTooLong ? breakLines(text, settings, language) : lines;
}
