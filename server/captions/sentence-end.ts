/** Where sentences of captions end, beyond what their punctuation says: ordinals, abbreviations in parts, quotations. */
import type { Language } from './language.ts';
import { bareWord, endsSentence, lowerFromLetter } from './punctuation.ts';

/** The languages that write ordinal numbers with a full stop. */
const ORDINALS = new Set(
  'bs cs da de et fi fo hr hu is lb lv mk nb nn no pl sk sl sr tr'.split(' '),
);
/** Months with a capital, where only they show that a number before them is an ordinal. */
const CAPITAL_MONTHS = /^(?:jan|feb|m[aä]r|apr|ma[ijy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])/iu;
/** Matches a number of up to three digits with a full stop; a longer one is a year, or an amount. */
const NUMBER = /^[^\p{L}\p{N}]*\p{Nd}{1,3}\.$/u;
/** Matches doubled initials with a full stop, as Spanish writes plurals: `EE.`, `UU.` */
const DOUBLED = /^[^\p{L}\p{N}]*(\p{Lu})\1\.$/u;
/** Matches a stop inside a quotation that ends with it, or an ellipsis. */
const QUOTED = /(?:[\p{STerm}…]["'”’»)\]」』]+|…|\.{3})$/u;

/**
 * Whether a sentence ends between two words.
 * @example
 * endsBetween('3.', 'Oktober', languageOf('de')); // => false
 * endsBetween('"why?"', 'and', languageOf('en')); // => false
 */
export function endsBetween(word: string, next: string, language: Language): boolean {
  if (!endsSentence(word, next, language)) return false;
  if (QUOTED.test(word) && /^\p{Ll}/u.test(next)) return false;
  const beginsNew = (): boolean => /^\p{Lu}/u.test(next) && language.classes.has(bareWord(next));
  if (DOUBLED.test(word)) return !DOUBLED.test(next) && beginsNew();
  const { tag } = language;
  if (!NUMBER.test(word) || !ORDINALS.has(tag)) return true;
  if (/^\p{Ll}/u.test(lowerFirst(next))) return false;
  if (CAPITAL_MONTHS.test(next)) return false;
  // German nouns have capitals; other languages begin a sentence with one.
  return tag === 'de' || tag === 'lb' ? beginsNew() || BEGINS.has(next) : true;
}

/** German words that begin a sentence more often than they follow an ordinal, apart from its small words. */
const BEGINS = new Set(
  'Dann Danach Also Jetzt Hier Dort Heute Damals Nun Deshalb Trotzdem Doch Ja Nein Gut Vielleicht Dabei Dafür Davon Dazu Zuerst Schließlich'.split(
    ' ',
  ),
);

/** A word from its first letter or digit on. */
const lowerFirst = (word: string): string => word.slice(word.length - lowerFromLetter(word).length);
