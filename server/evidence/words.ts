/** Aligns the words that captions show with those that were said, by the fewest errors, as jiwer and NIST's sclite count. */

/** What happened to a word: `shown` is null for one left out, `said` for one put in. */
export interface WordPair {
  readonly shown: string | null;
  readonly said: string | null;
}

/** The most pairs of words that an alignment compares; longer texts are cut before they come here. */
const MAX_CELLS = 4_000_000;

/**
 * A word as it is compared: lower case, without punctuation, marks of currency and the like; empty if nothing is left.
 * An apostrophe, and a point or comma between digits, stay: “it’s” and “its” are two words, and 1.5 is not 15.
 * @example
 * comparable('Hello,'); // => 'hello'
 */
export const comparable = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/(?<!\d)[.,:](?=.)|[.,:](?!\d)/gu, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}'.,:%]/gu, '')
    .replaceAll(/^'|'$/gu, '');

/**
 * Divides text into its words: at white space and hyphens; where a script has no spaces, into characters.
 * @example
 * wordsOf('A well-known fact'); // => ['A', 'well', 'known', 'fact']
 */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(UNSPACED, ' $& ')
    .split(/[\s\u2010\u2011-]+/u)
    .filter((word) => word !== '');

/** Characters of scripts that are written without spaces, whose errors are counted by character. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/**
 * Pairs two lists of words by the fewest substitutions, insertions and deletions (Levenshtein). Of several alignments
 * with as few, that is taken which substitutes last.
 * @throws {RangeError} the lists are too long to be compared
 */
export function alignWords(shown: readonly string[], said: readonly string[]): WordPair[] {
  const width = said.length + 1;
  if ((shown.length + 1) * width > MAX_CELLS) throw new RangeError('too many words to align');
  const one = shown.map(comparable);
  const other = said.map(comparable);
  const costs = new Uint16Array((shown.length + 1) * width);
  const cost = (row: number, column: number): number => costs[row * width + column]!;
  for (let row = 0; row <= one.length; row += 1) {
    for (let column = 0; column <= other.length; column += 1) {
      if (row === 0 || column === 0) costs[row * width + column] = row + column;
      else {
        const differs = one[row - 1] === other[column - 1] ? 0 : 1;
        costs[row * width + column] = Math.min(
          cost(row - 1, column - 1) + differs,
          cost(row - 1, column) + 1,
          cost(row, column - 1) + 1,
        );
      }
    }
  }
  const pairs: WordPair[] = [];
  let [row, column] = [one.length, other.length];
  while (row > 0 || column > 0) {
    const differs = one[row - 1] === other[column - 1] ? 0 : 1;
    const isPair =
      row > 0 && column > 0 && cost(row, column) === cost(row - 1, column - 1) + differs;
    const isInsertion = !isPair && row > 0 && cost(row, column) === cost(row - 1, column) + 1;
    if (isPair || isInsertion) row -= 1;
    if (isPair || !isInsertion) column -= 1;
    pairs.push({
      shown: isPair || isInsertion ? shown[row]! : null,
      said: isPair || !isInsertion ? said[column]! : null,
    });
  }
  return pairs.toReversed();
}
