/** Judges whether a transcript is in the language as which it was recognised. */
import { LANGUAGE_WORDS } from '../captions/language-words.ts';
import { languageOf } from '../captions/language.ts';
import type { LanguageDoubt } from '../contract/hearing.ts';
import type { IdentifiedStretch, TranscriptWord } from '../contract/results.ts';
import { primarySubtag } from '../models/registry.ts';

/** Words as the check reads them. */
type Words = readonly Pick<TranscriptWord, 'text' | 'start' | 'end' | 'confidence'>[];

/**
 * How sure a recogniser may be of words in a language that it does not know: their mean confidence, and a quarter of the
 * share that is sure. Fifteen recordings in other languages heard as English had at most 0.69, usable English in eight
 * kinds of noise at least 0.78.
 */
interface Limits {
  words: number;
  sureness: number;
}
const OF_SURE = 0.25;
const WHOLE: Limits = { words: 10, sureness: 0.735 };
/** Few words vary more. */
const FEW: Limits = { words: 5, sureness: 0.64 };
/** A part is named only beside words that were heard clearly, since speech may also be drowned by noise for a while. */
const PART: Limits = { words: 20, sureness: 0.68 };
const BLOCK_OF_PART: Limits = { words: 6, sureness: 0.76 };
const CLEAR_MEAN = 0.85;
/** A word is sure from this confidence on. */
const SURE = 0.95;
/** The words that are judged together when parts are looked for. */
const BLOCK = 12;
/** With this share of words in doubt, the whole is. */
const MOSTLY = 0.8;

/** The least probability of a language that counts as identified, and the highest mean confidence beside it. */
export const IDENTIFIED_FROM = 0.8;
const IDENTIFIED_MEAN = 0.75;

/** The least words for judging by small words, the most that are of the language, and by how much another has more. */
const SMALL_WORDS_OF = 20;
const OWN_SMALL_WORDS = 0.15;
const MORE_SMALL_WORDS = 0.25;

/**
 * The doubt about the language of a transcript; null if there is none.
 * @param language the language as which it was recognised, BCP 47
 * @param identified what a recogniser that tells languages apart says, if one listened
 * @example
 * const words = Array.from({ length: 20 }, (_, at) => ({ text: 'word', start: at, end: at + 1, confidence: 0.5 }));
 * languageDoubt(words, 'en', []); // => { language: 'en', whole: true, stretches: [{ start: 0, end: 20 }], share: 1, unsure: 0 }
 */
export function languageDoubt(
  words: Words,
  language: string,
  identified: readonly IdentifiedStretch[] = [],
): LanguageDoubt | null {
  const own = primarySubtag(language);
  const found = (foreign: Words, whole: boolean, stretches: LanguageDoubt['stretches']) => {
    const heard = otherLanguage(stretches, own, identified) ?? bySmallWords(foreign, own);
    const unsure = unsureShare(foreign);
    return {
      language: own,
      whole,
      stretches,
      share: whole ? 1 : Math.round((foreign.length / words.length) * 1000) / 1000,
      ...(unsure !== null && { unsure }),
      ...(heard !== null && { heard }),
    };
  };
  const everything = [
    {
      start: words[0]?.start ?? identified[0]?.start ?? 0,
      end: words.at(-1)?.end ?? identified.at(-1)?.end ?? 0,
    },
  ];
  if (isForeign(words, own, identified, [WHOLE, FEW])) return found(words, true, everything);
  const stretches = foreignParts(words, own, identified);
  const isInPart = ({ start }: Words[number]): boolean =>
    stretches.some((part) => start >= part.start && start <= part.end);
  const inParts = words.filter(isInPart);
  if (inParts.length === 0) return null;
  const rest = words.filter((word) => !isInPart(word));
  if (inParts.length >= words.length * MOSTLY) return found(words, true, everything);
  const isClear = figuresOf(rest).mean >= CLEAR_MEAN;
  const isKnown = otherLanguage(stretches, own, identified) !== null;
  return isClear || isKnown ? found(inParts, false, stretches) : null;
}

function isForeign(
  words: Words,
  own: string,
  identified: readonly IdentifiedStretch[],
  limits: readonly Limits[],
): boolean {
  const { count, mean, sureness } = figuresOf(words);
  const span = { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? Infinity };
  // What is heard badly in its own language is no other.
  if (isOwnLanguage(span, own, identified)) return false;
  if (limits.some((most) => count >= most.words && sureness < most.sureness)) return true;
  if (bySmallWords(words, own) !== null) return true;
  const isOther = otherLanguage([span], own, identified) !== null;
  return isOther && (count === 0 ? words.length === 0 : mean < IDENTIFIED_MEAN);
}

/** The stretches of consecutive words that are in doubt. */
function foreignParts(
  words: Words,
  own: string,
  identified: readonly IdentifiedStretch[],
): LanguageDoubt['stretches'] {
  const parts: Words[number][][] = [[]];
  for (let at = 0; at < words.length; at += BLOCK) {
    const block = words.slice(at, at + BLOCK);
    if (isForeign(block, own, identified, [BLOCK_OF_PART])) parts.at(-1)!.push(...block);
    else parts.push([]);
  }
  return parts
    .filter((part) => part.length > 0 && isForeign(part, own, identified, [PART]))
    .map((part) => ({ start: part[0]!.start, end: part.at(-1)!.end }));
}

function figuresOf(words: Words): { count: number; mean: number; sureness: number } {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  const count = known.length;
  if (count === 0) return { count, mean: 1, sureness: Infinity };
  const mean = known.reduce((sum, confidence) => sum + confidence, 0) / count;
  const sureShare = known.filter((confidence) => confidence >= SURE).length / count;
  return { count, mean, sureness: mean + OF_SURE * sureShare };
}

const UNSURE = 0.5;

/** The share of words with a confidence below a half; null if no word has one. */
function unsureShare(words: Words): number | null {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  if (known.length === 0) return null;
  const unsure = known.filter((confidence) => confidence < UNSURE).length;
  return Math.round((unsure / known.length) * 100) / 100;
}

/** Whether a stretch was identified as being in its own language, for most of its time. */
function isOwnLanguage(
  span: { start: number; end: number },
  own: string,
  identified: readonly IdentifiedStretch[],
): boolean {
  let seconds = 0;
  let all = 0;
  for (const { start, end, identified: spoken } of identified) {
    const shared = Math.max(0, Math.min(end, span.end) - Math.max(start, span.start));
    all += shared;
    if (spoken.language === own && spoken.probability >= IDENTIFIED_FROM) seconds += shared;
  }
  return all > 0 && seconds > all / 2;
}

/** The other language of most of the identified stretches; null if most are in this one, or there are none. */
function otherLanguage(
  stretches: readonly { start: number; end: number }[],
  own: string,
  identified: readonly IdentifiedStretch[],
): string | null {
  const seconds = new Map<string, number>();
  let all = 0;
  for (const { start, end, identified: spoken } of identified) {
    const shared = stretches.reduce(
      (sum, part) => sum + Math.max(0, Math.min(end, part.end) - Math.max(start, part.start)),
      0,
    );
    all += shared;
    if (spoken.language === own || spoken.probability < IDENTIFIED_FROM) continue;
    seconds.set(spoken.language, (seconds.get(spoken.language) ?? 0) + shared);
  }
  const [most] = [...seconds].toSorted(([, a], [, b]) => b - a);
  return most && most[1] > all / 2 ? most[0] : null;
}

/** The language whose small words these are instead of those of their own; null if that cannot be said. */
function bySmallWords(words: Words, own: string): string | null {
  if (words.length < SMALL_WORDS_OF || !(own in LANGUAGE_WORDS)) return null;
  const texts = words.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{M}'’]/gu, ''));
  const shareOf = (language: string): number => {
    const { classes } = languageOf(language);
    return texts.filter((text) => classes.has(text)).length / texts.length;
  };
  const ownShare = shareOf(own);
  if (ownShare > OWN_SMALL_WORDS) return null;
  const [best] = Object.keys(LANGUAGE_WORDS)
    .map((language) => [language, shareOf(language)] as const)
    .toSorted(([, a], [, b]) => b - a);
  return best && best[0] !== own && best[1] >= ownShare + MORE_SMALL_WORDS ? best[0] : null;
}
