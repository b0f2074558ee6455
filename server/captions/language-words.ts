/** The shape of a language's word lists, each in a file of languages/. */

/** The words of a language that show where a phrase begins or ends, in lower case, separated by spaces. */
export interface LanguageWords {
  articles?: string;
  possessives?: string;
  /** Precede a noun, though they may stand alone: “these”, “many”, “two”. */
  determiners?: string;
  prepositions?: string;
  /** Prepositions that join a noun to the noun before them: the “de” of “um copo de água”. */
  genitives?: string;
  conjunctions?: string;
  auxiliaries?: string;
  /** Subject pronouns. */
  pronouns?: string;
  /** Pronouns that may also be objects. */
  objectPronouns?: string;
  /** Words after which such a pronoun is the subject: “if you”, “what it”. */
  beforeSubjects?: string;
  /** Precede the word that they modify: “very”, “new”. */
  modifiers?: string;
  /** Belong to a preposition after them: the “because” of “because of”, “depois” of “depois de”. */
  beforePrepositions?: string;
  /** The first words of conjunctions of two, by the second: `that: 'so now'` for “so that” and “now that”. */
  pairs?: Readonly<Record<string, string>>;
  /** Most adjectives follow their noun, as in “une voiture rouge”. */
  adjectivesFollow?: boolean;
  /** The verb ends a subordinate clause, as in “weil wir dort waren”. */
  verbsLast?: boolean;
  /** Endings of modifiers and of participles. */
  modifierEndings?: string;
  participleEndings?: string;
  /** Attached to the previous word. */
  enclitics?: string;
  /** Follow a number. */
  units?: string;
  /** Words whose full stop does not end a sentence: before a name, before a number, or anywhere. */
  titles?: string;
  counters?: string;
  abbreviations?: string;
}
