/** Carries italics over from words to the captions built from them. */
import { readItalics, writeItalics } from '../italics.ts';
import type { CaptionWord } from './fix-word-times.ts';
import { shownText } from '../shown-text.ts';

/**
 * The words without italics tags, and marks of the italic characters; the marks are null if no word is italic. A pair
 * of tags may span several words.
 */
export function wordsWithoutItalics(words: readonly CaptionWord[]): {
  plain: readonly CaptionWord[];
  marks: boolean[] | null;
} {
  if (!hasItalics(words)) return { plain: words, marks: null };
  // Cleaned in the same way as the tokens, so that the marks stay aligned with their characters.
  const { lines, marks } = readItalics(words.map(({ text }) => shownText(text)));
  const plain = words.map((word, at) => ({ ...word, text: lines[at]! }));
  return { plain, marks };
}

function hasItalics(words: readonly CaptionWord[]): boolean {
  for (const { text } of words) if (typeof text === 'string' && /<\/i>/i.test(text)) return true;
  return false;
}

/** Restores the italics of the words in the lines of captions, with each pair of tags inside one line. */
export function withItalicsOf(
  captions: readonly (readonly string[])[],
  marks: readonly boolean[],
): string[][] {
  let at = 0;
  const all = writeItalics(captions.flat(), marks);
  return captions.map((lines) => all.slice(at, (at += lines.length)));
}
