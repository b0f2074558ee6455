/** What a language's small words say about where a line may end. */
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { it } from './languages/it.ts';
import { nl } from './languages/nl.ts';
import { pt } from './languages/pt.ts';

/** The closed word classes of a language: lower case, parted by spaces. */
export interface LanguageWords {
  articles: string;
  possessives: string;
  prepositions: string;
  conjunctions: string;
  auxiliaries: string;
  /** Subject pronouns. */
  pronouns: string;
  /** Words with a point that ends no sentence. */
  abbreviations: string;
}

export interface Language {
  /** A word that must not stand last in a line: it belongs to what follows. */
  dangles: ReadonlySet<string>;
  conjunctions: ReadonlySet<string>;
  prepositions: ReadonlySet<string>;
  abbreviations: ReadonlySet<string>;
}

const set = (...lists: string[]): Set<string> =>
  new Set(lists.join(' ').split(' ').filter(Boolean));

const make = (words: LanguageWords): Language => ({
  dangles: set(
    words.articles,
    words.possessives,
    words.prepositions,
    words.conjunctions,
    words.auxiliaries,
    words.pronouns,
  ),
  conjunctions: set(words.conjunctions),
  prepositions: set(words.prepositions),
  abbreviations: set(words.abbreviations),
});

const LANGUAGES = new Map(
  Object.entries({ de, en, es, fr, it, nl, pt }).map(([k, v]) => [k, make(v)]),
);
/** Any other language: punctuation, pauses and balance decide. */
const UNKNOWN = make({
  articles: '',
  possessives: '',
  prepositions: '',
  conjunctions: '',
  auxiliaries: '',
  pronouns: '',
  abbreviations: '',
});

/** The words of a language by its BCP 47 tag; empty sets where they are not known. */
export const languageOf = (tag: string): Language =>
  LANGUAGES.get(tag.toLowerCase().split('-')[0] ?? '') ?? UNKNOWN;

/** A word without the punctuation around it, in lower case. */
export const bare = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/^[^\p{L}\p{N}']+|[^\p{L}\p{N}']+$/gu, '');

/** Ends with a mark that belongs to the word before it, closing quotes and brackets aside. */
const SENTENCE_END = /[.?!…。？！؟۔।]["'”’»)\]」』]*$/u;
const CLAUSE_END = /[,;:—–、，；：،؛]["'”’»)\]」』]*$/u;

/** Whether a sentence ends with this word: “Dr.” and “3.” before a number do not end one. */
export function endsSentence(word: string, language: Language): boolean {
  if (!SENTENCE_END.test(word)) return false;
  const lower = word.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, '');
  if (language.abbreviations.has(lower)) return false;
  return !/^\p{L}\.$/u.test(lower) || lower === 'i.';
}

/** Whether a clause ends with this word. */
export const endsClause = (word: string): boolean => CLAUSE_END.test(word);

/** Whether a word that ends nothing would dangle at the end of a line. */
export const dangles = (word: string, language: Language): boolean =>
  language.dangles.has(bare(word)) && /[\p{L}\p{N}'’]$/u.test(word);
