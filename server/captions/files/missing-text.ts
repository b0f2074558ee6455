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

/** Text that a person reads in a caption: its lines without italics, its readings and its speakers. */
const shownIn = ({ lines, ruby = [], speakers = [] }: ReadCue): string =>
  [...lines, ...ruby.map(({ reading }) => reading), ...speakers]
    .join(' ')
    .replaceAll(/<\/?i>/gi, '');

/**
 * Whether a text of a caption has words that the caption does not: broken markup has taken them.
 * @param text what is left of the text without its markup
 */
export function hidesWords(text: string, cue: ReadCue): boolean {
  // A word may end in the next line.
  const shown = shownIn(cue) + cue.lines.join('');
  return wordsOf(text).some((word) => !shown.includes(word));
}

/** What blocks such as `{\an8}` contain besides the tags of ASS: words of a comment, or of damage. */
export const withoutTags = (block: string): string =>
  block.replaceAll(/\\(?:fn[^\\{}]*|[a-z\d&.,()+-]+)|[\d{}]+/gi, ' ');

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
  for (const cue of cues) {
    const { lines } = cue;
    for (const word of wordsOf(shownIn(cue))) {
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
