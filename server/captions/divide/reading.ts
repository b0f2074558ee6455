/** Classifies words, alone and next to their neighbours, for the breaks before and after them. */
import type { Language, WordClass } from '../language.ts';
import {
  bare,
  endsWithStop,
  lowerFromLetter,
  endsWithClauseMark,
  endsWithComma,
} from '../punctuation.ts';

/** The properties of a word that matter for the breaks before and after it. */
export interface Reading {
  /** Its class as the words before it see it: “l’heure” opens like an article … */
  opens: WordClass;
  /** … and its class as the words after it see it: there it closes like a noun. */
  closes: WordClass;
  /**
   * Whether it belongs to the next word and dangles at the end of a line. A `subject` pronoun does so unless it is an
   * object, and an `auxiliary` of a language whose verbs come last does so unless a conjunction follows: “weil wir dort
   * waren und”.
   */
  dangles: 'always' | 'subject' | 'auxiliary' | 'never';
  /** A title or an abbreviation like “e.g.” that belongs to the next word. */
  leans: boolean;
  /** Its final punctuation: that of a sentence (see endsSentence for exceptions), of a clause, or a comma. */
  mark: 'stop' | 'clause' | 'comma' | 'none';
  /** Whether it is capitalised like a name. */
  named: boolean;
  number: boolean;
  unit: boolean;
  /** Without punctuation and capitals; only its elision, if it begins with one: “qu'” of “qu’il”. */
  first: string;
  /** Whether it belongs to a preposition after it. */
  joinsPreposition: boolean;
  /** Whether a pronoun after it is the subject of a clause. */
  beforeSubject: boolean;
  /** The words after it with which it is one conjunction. */
  pairs: ReadonlySet<string> | undefined;
}

const DANGLING: ReadonlySet<WordClass> = new Set([
  'article',
  'preposition',
  'genitive',
  'conjunction',
  'auxiliary',
  'pronoun',
]);
/** Classes of words that may follow an object; before them, a pronoun like “it” ends its phrase. */
const AFTER_OBJECT: ReadonlySet<WordClass> = new Set([
  'article',
  'determiner',
  'preposition',
  'genitive',
  'conjunction',
  'pronoun',
]);

/** Whether a word of this class belongs to the next one and would dangle without it. */
export const danglesBeside = ({ dangles }: Reading, { opens }: Reading): boolean =>
  dangles === 'always' ||
  (dangles === 'subject' && !AFTER_OBJECT.has(opens)) ||
  (dangles === 'auxiliary' && opens !== 'conjunction');

const LEANING = /^\W*(?:e\.g|i\.e|cf|vs|z\.b|d\.h|bzw|p\.ej|p\.ex|p\.es|bijv)\.$/i;

/** Classifies a word on its own. */
export function readWord(word: string, language: Language): Reading {
  const plain = bare(word);
  const [first, rest] = partsOf(plain, language);
  const elision = first === '' ? undefined : language.classes.get(first);
  const listed = language.classes.get(rest);
  const open = listed ?? openClass(plain, word, language);
  const enclitic = language.enclitics.has(plain);
  return {
    opens: enclitic ? 'enclitic' : (elision ?? open),
    closes: enclitic && !listed ? 'enclitic' : open,
    dangles: danglesAs(word, rest, listed, language),
    leans: language.titles.has(lowerFromLetter(word)) || LEANING.test(word),
    mark: markOf(word),
    named: open === 'name',
    number: /\p{N}$/u.test(word),
    unit: language.units.has(plain),
    first: first || plain,
    joinsPreposition: language.beforePrepositions.has(plain),
    beforeSubject: language.beforeSubjects.has(plain),
    pairs: language.pairs.get(plain),
  };
}

/** The reading of a word after another one: in “if you”, the pronoun is the subject, and never an object. */
export const readAfter = <T extends Reading>(before: Reading, reading: T): T =>
  before.beforeSubject && before.mark === 'none' && reading.dangles === 'subject'
    ? { ...reading, dangles: 'always' }
    : reading;

/**
 * The reading of a word before another one: the first word of “because of” opens as a preposition and that of “so that”
 * as a conjunction, and both dangle.
 */
export function readBefore<T extends Reading>(reading: T, next: Reading): T {
  const { joinsPreposition, pairs, mark } = reading;
  if (mark !== 'none') return reading;
  const opens = pairs?.has(next.first)
    ? 'conjunction'
    : joinsPreposition && (next.opens === 'preposition' || next.opens === 'genitive')
      ? 'preposition'
      : null;
  return opens === null ? reading : { ...reading, opens, closes: opens, dangles: 'always' };
}

/** An elision at the start of a word, if it has one, and the rest of the word: “qu'” and “il” of “qu’il”. */
function partsOf(plain: string, { classes }: Language): [string, string] {
  if (classes.has(plain)) return ['', plain];
  const elision = /^[^']+'(?=.)/.exec(plain)?.[0] ?? '';
  return classes.has(elision) ? [elision, plain.slice(elision.length)] : ['', plain];
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
  if (!listed || !DANGLING.has(listed) || !/[\p{L}\p{M}\p{N}'’]$/u.test(word)) return 'never';
  if (language.verbsLast && listed === 'auxiliary') return 'auxiliary';
  return language.objectPronouns.has(plain) ? 'subject' : 'always';
}

/** The class of a word that is in no list, by its spelling. */
function openClass(plain: string, word: string, language: Language): WordClass {
  if (/^\p{N}/u.test(plain)) return 'determiner';
  if (/^[^\p{L}]*\p{Lu}/u.test(word)) return 'name';
  if (language.modifierEnding?.test(plain)) return 'modifier';
  return language.participleEnding?.test(plain) ? 'participle' : 'other';
}

/**
 * Whether a word dangles at the end of a line: a small word without punctuation that belongs to the next one.
 * @param next the word after it
 * @example
 * danglesBefore('the', 'house', languageOf('en')); // => true
 * danglesBefore('house', 'is', languageOf('en')); // => false
 */
export function danglesBefore(word: string, next: string, language: Language): boolean {
  const after = readWord(next, language);
  const reading = readBefore(readWord(word, language), after);
  return reading.dangles !== 'never' && danglesBeside(reading, after);
}
