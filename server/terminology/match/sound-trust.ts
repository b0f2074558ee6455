/** Decides whether a word that sounds like a term is certain enough to be corrected without asking. */
import { UNSURE_BELOW } from '../../contract/confidence.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import { isEnglishCompound } from './english-words.ts';
import { tokenizeWord } from './normalize.ts';
import { isFunctionWord } from './ordinary-words.ts';

/** The facts about a span of words that sounds like a term. */
export interface SoundClaim {
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
/** The margin by which the next best term must be less similar. */
const MARGIN = 0.03;
/** The length up to which a sound ("RBAC") is shared by many names. */
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

const ACRONYM = /^\P{L}*\p{Lu}{2,6}s?\P{L}*$/u;

/**
 * Whether a word is written as an acronym.
 * @example
 * isAcronym({ text: 'APIs,' }); // => true
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
