/** What a word says of the breaks beside it, by itself and by its neighbour. */
import type { Language, WordClass } from './language.ts';
import { endsWithClauseMark, endsWithComma } from './punctuation.ts';
import { bare, endsWithStop, lowerFromLetter } from './sentence-end.ts';

/** All that the breaks beside a word need to know of it. */
export interface Reading {
  /** What it is to the words before it: “l’heure” opens as an article does … */
  opens: WordClass;
  /** … and to the words after it: it closes as a noun does. */
  closes: WordClass;
  /**
   * Whether it belongs to the next word, and dangles at a line's end: `subject` for a pronoun that
   * does so unless it is an object.
   */
  dangles: 'always' | 'subject' | 'never';
  /** A title or a “e.g.”: it says something of the next word. */
  leans: boolean;
  /** The mark it ends with: of a sentence (but see endsSentence), of a clause, or a comma. */
  mark: 'stop' | 'clause' | 'comma' | 'none';
  /** Has the capital of a name. */
  named: boolean;
  number: boolean;
  unit: boolean;
}

const DANGLING: ReadonlySet<WordClass> = new Set([
  'article',
  'preposition',
  'conjunction',
  'auxiliary',
  'pronoun',
]);
/** What may follow an object: after it a pronoun like “it” has ended its phrase. */
const AFTER_OBJECT: ReadonlySet<WordClass> = new Set([
  'article',
  'determiner',
  'preposition',
  'conjunction',
  'pronoun',
]);

/** Whether a word, by its reading, belongs to the next one and dangles without it. */
export const danglesBeside = ({ dangles }: Reading, next: Reading): boolean =>
  dangles === 'always' || (dangles === 'subject' && !AFTER_OBJECT.has(next.opens));

const LEANING = /^\W*(?:e\.g|i\.e|cf|vs|z\.b|d\.h|bzw|p\.ej|p\.ex|p\.es|bijv)\.$/i;

/** Reads a word by itself. */
export function readWord(word: string, language: Language): Reading {
  const plain = bare(word);
  const listed = language.classes.get(plain);
  const open = listed ?? openClass(plain, word, language);
  const elided = listed ? undefined : language.classes.get(/^[^']+'(?=.)/.exec(plain)?.[0] ?? '');
  const enclitic = language.enclitics.has(plain);
  return {
    opens: enclitic ? 'enclitic' : (elided ?? open),
    closes: enclitic && !listed ? 'enclitic' : open,
    dangles: danglesAs(word, plain, listed, language),
    leans: language.titles.has(lowerFromLetter(word)) || LEANING.test(word),
    mark: markOf(word),
    named: open === 'name',
    number: /\p{N}$/u.test(word),
    unit: language.units.has(plain),
  };
}

function markOf(word: string): Reading['mark'] {
  if (endsWithStop(word)) return 'stop';
  if (endsWithComma(word)) return 'comma';
  return endsWithClauseMark(word) ? 'clause' : 'none';
}

function danglesAs(
  word: string,
  plain: string,
  listed: WordClass | undefined,
  language: Language,
): Reading['dangles'] {
  if (!listed || !DANGLING.has(listed) || !/[\p{L}\p{N}'’]$/u.test(word)) return 'never';
  return language.objectPronouns.has(plain) ? 'subject' : 'always';
}

/** The class of a word of no list, by how it is written. */
function openClass(plain: string, word: string, language: Language): WordClass {
  if (/^\p{N}/u.test(plain)) return 'determiner';
  if (/^[^\p{L}]*\p{Lu}/u.test(word)) return 'name';
  if (language.modifierEnding?.test(plain)) return 'modifier';
  return language.participleEnding?.test(plain) ? 'participle' : 'other';
}

/**
 * Whether a word at a line's end dangles: a small word without punctuation that belongs to the next.
 * @param next the word after it
 */
export function danglesBefore(word: string, next: string, language: Language): boolean {
  const reading = readWord(word, language);
  return reading.dangles !== 'never' && danglesBeside(reading, readWord(next, language));
}
