/** The word lists of a language, each in a file of languages/. */

/**
 * The words of a language that show where a phrase begins or ends: lower case, separated by spaces.
 */
export interface LanguageWords {
  articles?: string;
  possessives?: string;
  /** Precede a noun, though they may stand alone: “these”, “many”, “two”. */
  determiners?: string;
  prepositions?: string;
  conjunctions?: string;
  auxiliaries?: string;
  /** Subject pronouns. */
  pronouns?: string;
  /** The pronouns that may also be objects. */
  objectPronouns?: string;
  /** Precede the word that they modify: “very”, “new”. */
  modifiers?: string;
  /** Most adjectives follow their noun, as in “une voiture rouge”. */
  adjectivesFollow?: boolean;
  /** Endings of modifiers and of participles. */
  modifierEndings?: string;
  participleEndings?: string;
  /** Attached to the previous word. */
  enclitics?: string;
  /** Follow a number. */
  units?: string;
  /** Words with a full stop that ends no sentence: before a name, before a number, anywhere. */
  titles?: string;
  counters?: string;
  abbreviations?: string;
}
