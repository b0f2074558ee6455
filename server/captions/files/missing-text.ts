/** Finds the texts of a file that became no caption: what damage or an odd form has hidden from a reader. */
import type { ReadCue, Reading, UnreadLine } from './portable-captions.ts';

/** A text of a file. */
interface FoundText {
  /** From 1; 0 if it is not known. */
  line: number;
  text: string;
}

/** Scripts whose words follow each other without a space. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]{2,}/gu) ?? [];

/** The most characters of a reported line that are shown. */
export const LONGEST = 500;

/** Collects what a reader reports, so that it is not reported again. */
export function overheard(unread: Reading['unread'] = () => {}) {
  const reported: string[] = [];
  return {
    reported,
    unread: (line: UnreadLine) => {
      reported.push(line.text.slice(0, LONGEST));
      unread(line);
    },
  };
}

/**
 * Reports the texts with words that are in no caption, and in nothing that was reported.
 * @param reported the texts of what was
 */
export function reportMissing(
  texts: readonly FoundText[],
  cues: readonly ReadCue[],
  { reported, unread }: ReturnType<typeof overheard>,
): void {
  const seen = new Set(reported.flatMap(wordsOf));
  const characters = new Set<string>();
  for (const { lines, ruby = [], speakers = [] } of cues) {
    const shown = lines.join(' ').replaceAll(/<\/?i>/gi, '');
    const beside = ruby.map(({ reading }) => reading);
    for (const word of wordsOf([shown, ...beside, ...speakers].join(' '))) {
      seen.add(word);
      if (UNSPACED.test(word)) for (const character of word) characters.add(character);
    }
    // A word may have been in several texts, or across the end of a line.
    for (const word of wordsOf(lines.join('').replaceAll(/<\/?i>/gi, ''))) seen.add(word);
  }
  for (const { line, text } of texts) {
    const isSeen = (word: string): boolean =>
      seen.has(word) ||
      // Readings and columns come between its characters.
      (UNSPACED.test(word) && Array.from(word).every((each) => characters.has(each)));
    if (wordsOf(text).every(isSeen)) continue;
    unread({ line, text: text.trim(), reason: 'it is in no caption' });
  }
}
