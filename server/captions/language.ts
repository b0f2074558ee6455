/** Classifies the small words of a language, to decide where a line may end. */
import { baseOf } from './language-tag.ts';
import type { LanguageWords } from './english-words.ts';
import { LANGUAGE_WORDS } from './language-words.ts';

export type WordClass =
  | 'article'
  | 'determiner'
  | 'preposition'
  | 'genitive'
  | 'conjunction'
  | 'auxiliary'
  | 'pronoun'
  | 'modifier'
  | 'participle'
  | 'enclitic'
  | 'name'
  | 'other';

export interface Language {
  /** Its tag, without a region. */
  tag: string;
  classes: ReadonlyMap<string, WordClass>;
  objectPronouns: ReadonlySet<string>;
  /** Words after which such a pronoun is the subject. */
  beforeSubjects: ReadonlySet<string>;
  /** Words that belong to a preposition after them: the “because” of “because of”. */
  beforePrepositions: ReadonlySet<string>;
  /** The second words of conjunctions of two, by the first: “that” of “so that”. */
  pairs: ReadonlyMap<string, ReadonlySet<string>>;
  enclitics: ReadonlySet<string>;
  units: ReadonlySet<string>;
  titles: ReadonlySet<string>;
  counters: ReadonlySet<string>;
  abbreviations: ReadonlySet<string>;
  modifierEnding: RegExp | null;
  participleEnding: RegExp | null;
  /** Whether most adjectives follow their noun. */
  adjectivesFollow: boolean;
  /** Whether the verb ends a subordinate clause. */
  verbsLast: boolean;
}

const list = (words = ''): string[] => words.split(/\s+/).filter(Boolean);

/**
 * At least three letters come before the ending: “ally” is a word, “quickly” has an ending. In Korean, whose letters are
 * syllables, one is enough.
 */
const ending = (words?: string): RegExp | null => {
  if (!words) return null;
  const least = /\p{Script=Hangul}/u.test(words) ? 1 : 3;
  return new RegExp(`\\p{L}{${least}}(?:${list(words).join('|')})$`, 'u');
};

function pairsOf(pairs: Readonly<Record<string, string>> = {}): Map<string, Set<string>> {
  const seconds = new Map<string, Set<string>>();
  for (const [words, firsts] of Object.entries(pairs)) {
    for (const first of list(firsts)) {
      seconds.set(first, new Set([...(seconds.get(first) ?? []), ...list(words)]));
    }
  }
  return seconds;
}

function make(tag: string, words: LanguageWords): Language {
  const classes = new Map<string, WordClass>();
  const add = (wordClass: WordClass, ...lists: (string | undefined)[]) => {
    // A word in several lists has the class of the first.
    for (const word of lists.flatMap(list)) if (!classes.has(word)) classes.set(word, wordClass);
  };
  add('article', words.articles, words.possessives);
  add('determiner', words.determiners);
  add('conjunction', words.conjunctions);
  add('genitive', words.genitives);
  add('preposition', words.prepositions);
  add('auxiliary', words.auxiliaries);
  add('pronoun', words.pronouns);
  add('modifier', words.modifiers);
  return {
    tag,
    classes,
    objectPronouns: new Set(list(words.objectPronouns)),
    beforeSubjects: new Set(list(words.beforeSubjects)),
    beforePrepositions: new Set(list(words.beforePrepositions)),
    pairs: pairsOf(words.pairs),
    enclitics: new Set(list(words.enclitics)),
    units: new Set(list(words.units)),
    titles: new Set(list(words.titles)),
    counters: new Set(list(words.counters)),
    abbreviations: new Set(list(words.abbreviations)),
    modifierEnding: ending(words.modifierEndings),
    participleEnding: ending(words.participleEndings),
    adjectivesFollow: words.adjectivesFollow ?? false,
    verbsLast: words.verbsLast ?? false,
  };
}

const LANGUAGES = new Map<string, Language>();

/** Adds languages, by their tags: a browser loads those that it needs. */
export function addLanguages(words: Readonly<Record<string, LanguageWords>>): void {
  for (const [tag, ofIt] of Object.entries(words)) LANGUAGES.set(tag, make(tag, ofIt));
}
addLanguages(LANGUAGE_WORDS);

/** Any other language: breaks depend only on punctuation, pauses and balance. */
const UNKNOWN = make('', {});

/**
 * The word classes of a language, by its BCP 47 tag; empty for an unknown language.
 * @example
 * languageOf('fr-CA').adjectivesFollow; // => true
 * languageOf('de').adjectivesFollow; // => false
 */
export function languageOf(tag: string): Language {
  const base = baseOf(tag);
  return LANGUAGES.get(base) ?? { ...UNKNOWN, tag: base };
}
