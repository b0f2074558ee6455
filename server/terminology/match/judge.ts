/** Judges how strong the evidence is that a surface in a transcript is its term. */
import { UNSURE_BELOW } from '../../contract/confidence.ts';
import type { ActiveTerm } from '../active-term.ts';
import { isEnglishCompound } from './english-words.ts';
import { isOrdinaryPhrase, type Surface } from './surfaces.ts';
import { isCommonWord, isFunctionWord } from './ordinary-words.ts';

/**
 * The evidence behind a match. `phonetic` is phonetic similarity alone, `sound` is similarity supported by the talk or
 * by low recogniser confidence (english-words.ts), `name` a name given for the talk that the whole talk speaks for, and `model` is a language model's proposal.
 */
export type Evidence =
  | 'mishear'
  | 'risky'
  | 'capitalization'
  | 'spacing'
  | 'sound'
  | 'name'
  | 'phonetic'
  | 'model';

/** The confidence for each kind of evidence, from measurements of the matcher. */
export const CONFIDENCE = {
  mishear: 0.97,
  capitalization: 0.96,
  spacing: 0.95,
  licensedPhrase: 0.9,
  sound: 0.88,
  risky: 0.8,
  unlicensedPhrase: 0.75,
  /** Ordinary words recognised with low confidence: they are the term only if the talk is about its subject. */
  doubted: 0,
} as const;

/**
 * The recogniser's confidence below which ordinary words are a term: mishears of the term next to a near word, mishears
 * of a term that belongs to the subject of the talk, and the letters of such a term, which are more likely to be the
 * term. For the most frequent words the confidence has to be lower, since they are spoken often.
 */
const DOUBTED = {
  near: { common: 0.35, rare: 0.65 },
  mishear: { common: UNSURE_BELOW / 2, rare: UNSURE_BELOW },
  canonical: { common: UNSURE_BELOW, rare: 0.75 },
} as const;

interface Judgement {
  evidence: Evidence;
  confidence: number;
  /** The reason as a sentence. */
  reason: string;
}

/** The support for a surface. */
interface Support {
  /** Returns a near word close by; called only if it matters. */
  near(): string | null;
  /** The least confidence of the recogniser in the words, 0..1. */
  confidence: number;
}

/** Judges a surface that was found; null if it is not evidence. */
export function judge(
  surface: Surface,
  heard: string,
  term: ActiveTerm,
  support: Support,
): Judgement | null {
  const { near } = support;
  const name = term.canonical;
  // "as I" is not ASI, wherever it stands.
  if (surface.form === 'pieces' && surface.key.split(' ').every(isFunctionWord)) return null;
  if ((isLooseLetter(surface) || heard.includes(',')) && !surface.risky) {
    return judgeLooseLetter(surface, heard, name, near);
  }
  if (surface.form === 'mishear' && !surface.risky) {
    const reason = `"${heard}" is a known mishearing of ${name}.`;
    return { evidence: 'mishear', confidence: CONFIDENCE.mishear, reason };
  }
  if (isOrdinary(surface, heard)) return judgeOrdinary(surface, heard, term, support);
  if (surface.form === 'canonical') return judgeCase(surface, heard, name, near);
  return judgeSpacing(surface, heard, name, near);
}

/** Whether a surface is ordinary words, unless the recogniser wrote it as a name ("HyperDrive"). */
export const isOrdinary = ({ form, risky, distinctness }: Surface, heard: string): boolean =>
  form === 'mishear' ? risky : distinctness === 'ordinary' && !/\p{Ll}\p{Lu}/u.test(heard);

/**
 * Judges ordinary words. A near word makes them the term if they were recognised with low confidence or people
 * confirmed them.
 */
function judgeOrdinary(
  { form, key }: Surface,
  heard: string,
  term: ActiveTerm,
  support: Support,
): Judgement | null {
  const name = term.canonical;
  const word = support.near();
  const sure = support.confidence;
  const often = key.split(' ').every(isCommonWord) ? 'common' : 'rare';
  if (word === null) {
    const reason = `"${heard}" is ordinary English but was recognised with low confidence, and ${name} belongs to the subject of the talk.`;
    const doubted = sure < DOUBTED[form === 'mishear' ? 'mishear' : 'canonical'][often];
    return doubted ? { evidence: 'risky', confidence: CONFIDENCE.doubted, reason } : null;
  }
  const reason = `"${heard}" is ordinary English and may be ${name}: "${word}" is nearby.`;
  if (form === 'mishear' && term.confirmed?.includes(key)) {
    return { evidence: 'risky', confidence: CONFIDENCE.licensedPhrase, reason };
  }
  return sure < DOUBTED.near[often]
    ? {
        evidence: 'risky',
        confidence: CONFIDENCE.sound,
        reason: `"${heard}" was recognised with low confidence and is ${name}: "${word}" is nearby.`,
      }
    : { evidence: 'risky', confidence: CONFIDENCE.risky, reason };
}

/** The most letters and digits of a form that may arise by chance from a single letter next to a word. */
const MAX_LOOSE = 4;

const isLetter = (token: string): boolean => /^\p{L}$/u.test(token);

/**
 * Whether a form is a single letter next to a short word or a digit ("s so", "R two", "D-1"). Unlike sequences that are
 * not words ("mc p"), these occur without any term.
 */
function isLooseLetter({ form, key }: Surface): boolean {
  const tokens = key.split(' ');
  if (form === 'canonical' || tokens.length < 2 || tokens.join('').length > MAX_LOOSE) return false;
  if (tokens.length !== 2 || !tokens.some(isLetter)) return false;
  return tokens.some((token) => !isLetter(token) && isOrdinaryPhrase(token));
}

/**
 * Judges a loose letter, or letters with commas, which may be a list. It is the term only with support: a near word here, or a certain term of its packs later on.
 */
function judgeLooseLetter(
  { form }: Surface,
  heard: string,
  name: string,
  near: () => string | null,
): Judgement {
  const evidence = form === 'mishear' ? 'mishear' : 'spacing';
  const word = near();
  return word === null
    ? {
        evidence,
        confidence: CONFIDENCE.unlicensedPhrase,
        reason: `"${heard}" may be ${name} or ${heard.includes(',') ? 'a list of letters' : 'a letter next to a word'}.`,
      }
    : {
        evidence,
        confidence: CONFIDENCE.licensedPhrase,
        reason: `"${heard}" is ${name}: "${word}" is nearby.`,
      };
}

function judgeCase(
  surface: Surface,
  heard: string,
  name: string,
  near: () => string | null,
): Judgement {
  const sameLetters = heard.toLowerCase().startsWith(name.toLowerCase());
  const evidence = sameLetters ? 'capitalization' : 'spacing';
  if (surface.distinctness === 'phrase' || surface.distinctness === 'symbol') {
    const word = near();
    return word === null
      ? {
          evidence,
          confidence: CONFIDENCE.unlicensedPhrase,
          reason: `"${heard}" may be the name ${name} or ordinary words.`,
        }
      : {
          evidence,
          confidence: CONFIDENCE.licensedPhrase,
          reason: `"${heard}" is the name ${name}: "${word}" is nearby.`,
        };
  }
  return { evidence, confidence: CONFIDENCE[evidence], reason: `"${heard}" is written ${name}.` };
}

/**
 * Judges a form with different spacing. Unlisted forms are often ordinary words ("linked in"), unless each word was
 * recognised as a name.
 */
function judgeSpacing(
  surface: Surface,
  heard: string,
  name: string,
  near: () => string | null,
): Judgement {
  const asName = heard.split(' ').every((word) => /^\p{Lu}(?:\p{Ll}|$)/u.test(word));
  const trusted =
    (isSureVariant(surface) && name !== name.toLowerCase()) || (surface.form === 'split' && asName);
  const reason = `"${heard}" is written ${name}.`;
  if (trusted) return { evidence: 'spacing', confidence: CONFIDENCE.spacing, reason };
  // Words that are not English ("elicit ation") need only a little support.
  const word = surface.key.split(' ').every(isEnglishCompound) ? null : near();
  return word === null
    ? { evidence: 'spacing', confidence: CONFIDENCE.risky, reason }
    : {
        evidence: 'spacing',
        confidence: CONFIDENCE.licensedPhrase,
        reason: `"${heard}" is ${name}: "${word}" is nearby.`,
      };
}

/** Whether a variant cannot be anything but its term. */
function isSureVariant({ form, key }: Surface): boolean {
  if (key.length < 4) return false;
  // Three or more single letters in a row do not occur by chance.
  if (form === 'spelled' && /^(?:\p{L} ){2,}\p{L}$/u.test(key)) return true;
  return form === 'joined' || !isOrdinaryPhrase(key);
}
