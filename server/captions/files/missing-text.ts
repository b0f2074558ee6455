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

/** What a reader has reported, and its further reports. */
type Overheard = ReturnType<typeof overheard>;

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

/** How the texts of a file are in its captions: each is a line of one, or they may be in several, in any order. */
type Division = 'lines' | 'parts';

/**
 * Reports the texts with words that are in no caption, and in nothing that was reported. Of texts that are lines, those
 * that the file has more often than its captions, too.
 * @param reported the texts of what was
 */
export function reportMissing(
  texts: readonly FoundText[],
  cues: readonly ReadCue[],
  { reported, unread }: Overheard,
  division: Division = 'parts',
): void {
  const isInLines = division === 'lines';
  /** How often each is there. */
  const left = new Map<string, number>();
  for (const text of [...cues.flatMap(linesAndWhole), ...reported]) {
    const plain = onOneLine(text);
    left.set(plain, (left.get(plain) ?? 0) + 1);
  }
  let shown: ShownWords | undefined;
  for (const { line, text } of texts) {
    const plain = onOneLine(text);
    if (plain === '') continue;
    const count = left.get(plain);
    if (isInLines && count !== undefined) left.set(plain, count - 1);
    if (isInLines ? (count ?? 0) > 0 : count !== undefined) continue;
    shown ??= shownWords(cues, reported, isInLines);
    const words = wordsOf(text);
    const isThere = words.every((_, at) => isShown(words, at, shown!));
    if (isThere && (count === undefined || words.length === 0)) continue;
    const reason = isThere ? 'the file has it more often than its captions' : 'it is in no caption';
    unread({ line, text: text.trim(), reason });
  }
}

const linesAndWhole = ({ lines }: ReadCue): string[] =>
  lines.length > 1 ? [...lines, lines.join(' ')] : lines;

const onOneLine = (text: string): string =>
  (text.includes('<') ? text.replaceAll(/<\/?i>/gi, '') : text).replaceAll(/\s+/g, ' ').trim();

/** The words of captions and of what was reported. */
interface ShownWords {
  seen: Set<string>;
  /** Those of scripts without spaces. */
  characters: Set<string>;
  /** Words that follow one another; null if something else may be between them. */
  pairs: Set<string> | null;
}

function shownWords(
  cues: readonly ReadCue[],
  reported: readonly string[],
  isInLines: boolean,
): ShownWords {
  // Readings come between the words of a line.
  const pairs = isInLines && !cues.some(({ ruby }) => ruby) ? new Set<string>() : null;
  const seen = new Set<string>();
  const characters = new Set<string>();
  const add = (words: readonly string[]): void => {
    for (const [at, word] of words.entries()) {
      seen.add(word);
      if (at > 0) pairs?.add(pairOf(words, at));
    }
  };
  for (const text of reported) add(wordsOf(text));
  for (const cue of cues) {
    const words = wordsOf(shownIn(cue));
    add(words);
    for (const word of words.filter((each) => UNSPACED.test(each))) {
      for (const character of word) characters.add(character);
    }
    // A word may have been in several texts, or across the end of a line.
    add(wordsOf(cue.lines.join('').replaceAll(/<\/?i>/gi, '')));
  }
  return { seen, characters, pairs };
}

/** Whether a word is shown, after the one before it. */
function isShown(
  words: readonly string[],
  at: number,
  { seen, characters, pairs }: ShownWords,
): boolean {
  const word = words[at]!;
  if (seen.has(word)) return at === 0 || pairs === null || pairs.has(pairOf(words, at));
  // Readings and columns come between its characters.
  return UNSPACED.test(word) && Array.from(word).every((each) => characters.has(each));
}

/** A word with the one before it. */
const pairOf = (words: readonly string[], at: number): string => `${words[at - 1]} ${words[at]}`;
