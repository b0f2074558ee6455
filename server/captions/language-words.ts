/** What is written down of a language, a file each in languages/. */

/** The words of a language that tell where a phrase begins or ends: lower case, parted by spaces. */
export interface LanguageWords {
  articles?: string;
  possessives?: string;
  /** Lean on the noun after them, though they may stand alone: “these”, “many”, “two”. */
  determiners?: string;
  prepositions?: string;
  conjunctions?: string;
  auxiliaries?: string;
  /** Subject pronouns. */
  pronouns?: string;
  /** Those of the pronouns that may be objects too. */
  objectPronouns?: string;
  /** Lean on the word after them: “very”, “new”. */
  modifiers?: string;
  /** Endings of modifiers and of participles. */
  modifierEndings?: string;
  participleEndings?: string;
  /** Belong to the word before them. */
  enclitics?: string;
  /** Stand after a number. */
  units?: string;
  /** Words with a point that ends no sentence: before a name, before a number, anywhere. */
  titles?: string;
  counters?: string;
  abbreviations?: string;
}
