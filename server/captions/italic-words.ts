/** Carries the italics of words over to the captions that are built of them. */
import { readItalics, writeItalics } from './italics.ts';
import type { CaptionWord } from './repair.ts';
import { shownText } from './shown-text.ts';

/**
 * Words without the tags of italics, and where they were; null where no word has any. A pair of tags may span
 * words.
 */
export function wordsWithoutItalics(words: readonly CaptionWord[]): {
  plain: readonly CaptionWord[];
  marks: boolean[] | null;
} {
  if (!words.some(({ text }) => typeof text === 'string' && /<\/i>/i.test(text))) {
    return { plain: words, marks: null };
  }
  // Cleaned as the tokens will be, so that the marks stay with their characters.
  const { lines, marks } = readItalics(words.map(({ text }) => shownText(text)));
  const plain = words.map((word, at) => ({ ...word, text: lines[at] ?? '' }));
  return { plain, marks };
}

/** The lines of captions with the italics of their words, each pair of tags within its line. */
export function withItalicsOf(
  captions: readonly (readonly string[])[],
  marks: readonly boolean[],
): string[][] {
  let at = 0;
  const all = writeItalics(captions.flat(), marks);
  return captions.map((lines) => all.slice(at, (at += lines.length)));
}
