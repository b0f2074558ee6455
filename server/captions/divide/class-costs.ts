/**
 * The costs of a break by the classes of the words beside it; breaks.ts says how they were fitted. The cost before a
 * genitive was added later, between those before a preposition and before a noun, because it agrees better with people
 * in Portuguese, Italian and Spanish.
 */
import type { WordClass } from '../language.ts';

/** The costs of a new cue and of a new line. */
export interface Cost {
  cue: number;
  line: number;
}

/** The cost of a break without punctuation, by the class that the word after it opens … */
export const BEFORE: Record<WordClass, Cost> = {
  conjunction: { cue: -6, line: -4 },
  participle: { cue: 13, line: 5 },
  preposition: { cue: 8, line: 1 },
  genitive: { cue: 12, line: 4 },
  modifier: { cue: 18, line: 6 },
  auxiliary: { cue: 6, line: 2 },
  determiner: { cue: 13, line: 4 },
  article: { cue: 16, line: 2 },
  pronoun: { cue: 8, line: 4 },
  other: { cue: 20, line: 12 },
  name: { cue: 21, line: 10 },
  enclitic: { cue: 80, line: 80 },
};
/** The cost before a modifier in languages whose adjectives follow the noun. */
export const BEFORE_LATE_MODIFIER: Cost = { cue: 9, line: 9 };
/** … plus the cost by the class that the word before it closes. */
export const AFTER: Record<WordClass, Cost> = {
  enclitic: { cue: -7, line: -12 },
  name: { cue: -2, line: -3 },
  auxiliary: { cue: 1, line: -2 },
  conjunction: { cue: 1, line: -2 },
  preposition: { cue: 1, line: -2 },
  genitive: { cue: 1, line: -2 },
  article: { cue: 1, line: -2 },
  other: { cue: 0, line: 0 },
  participle: { cue: 6, line: 2 },
  modifier: { cue: 13, line: 7 },
  determiner: { cue: 24, line: 15 },
  // Often an object, judging by the next word, but not always.
  pronoun: { cue: 10, line: -2 },
};
