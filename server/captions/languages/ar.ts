import type { LanguageWords } from '../language-words.ts';

/** Arabic. The article and several prepositions are written as part of the next word. */
export const ar: LanguageWords = {
  prepositions: 'في من إلى على عن مع بين عند حتى منذ بعد قبل',
  conjunctions: 'لكن أو ثم أن إن لأن إذا الذي التي لأنها',
  auxiliaries: 'لا لم لن قد',
  modifiers: 'هذا هذه كل مدينة',
  enclitics: 'جدا',
};
