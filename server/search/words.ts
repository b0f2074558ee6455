/**
 * Divides texts into the words by which captions are searched, the same in every database: letters without their
 * accents, in lower case. Scripts without spaces are divided into characters, so that any part of a sentence is found.
 */

/** Letters, digits and their marks. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** A character of a script whose words are not divided by spaces, or what is between such characters. */
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]\p{M}*|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** Accents of the scripts that Europe writes. */
const ACCENTS = /[\u0300-\u036F]+/g;

/** The fewest characters of a beginning: with one, half of all words would have to be read. */
const FEWEST_CHARS = 2;

/** The longest word that is told from others that begin like it, in characters. */
const MAX_CHARS = 64;

/** A text in the form in which it is compared. */
export const foldedText = (text: string): string =>
  text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();

/**
 * The words of a text.
 * @example
 * wordsOf('Das Café, 東京'); // => ['das', 'cafe', '東', '京']
 */
export const wordsOf = (text: string): string[] =>
  (foldedText(text).match(WORD) ?? [])
    .flatMap((word) => word.match(PARTS) ?? [])
    .map((word) => word.slice(0, MAX_CHARS));

/** A part of a question: words in this order, of which the last may go on. */
export interface Phrase {
  words: string[];
  isBeginning: boolean;
}

/**
 * The parts of a question, all of which have to be found: words, "phrases in quotation marks", and beginnings with a
 * star.
 * @example
 * phrasesOf('"good morning" caf*');
 * // => [{ words: ['good', 'morning'], isBeginning: false }, { words: ['caf'], isBeginning: true }]
 */
export function phrasesOf(question: string): Phrase[] {
  const phrases: Phrase[] = [];
  for (const [at, part] of question
    .replaceAll(/[“”„«»]/g, '"')
    .split('"')
    .entries()) {
    // What is between two quotation marks belongs together.
    const texts = at % 2 === 1 ? [part] : part.split(/\s/);
    for (const text of texts) {
      const words = wordsOf(text);
      const isBeginning =
        text.trimEnd().endsWith('*') && (words.at(-1)?.length ?? 0) >= FEWEST_CHARS;
      if (words.length > 0) phrases.push({ words, isBeginning });
    }
  }
  return phrases;
}

/**
 * Where a phrase begins among words; -1 if it is not there.
 * @example
 * indexOfPhrase(['so', 'good', 'morning'], { words: ['good', 'mor'], isBeginning: true }); // => 1
 */
export function indexOfPhrase(
  words: readonly string[],
  { words: wanted, isBeginning }: Phrase,
): number {
  const last = wanted.length - 1;
  return words.findIndex((_, at) =>
    wanted.every((word, of) => {
      const there = words[at + of];
      return there === word || (isBeginning && of === last && there?.startsWith(word) === true);
    }),
  );
}
