import type { LanguageWords } from '../language-words.ts';

/** Hebrew. The article and several prepositions are written as part of the next word. */
export const he: LanguageWords = {
  prepositions: 'של את על עם אל מן בין לפני אחרי בלי כמו עד',
  conjunctions: 'אבל או כי אם אשר כדי',
  modifiers: 'כל לא',
  enclitics: 'מאוד מדי הזה',
};
