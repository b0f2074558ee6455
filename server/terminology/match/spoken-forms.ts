/**
 * Phrases prepared for many comparisons: the letters of each rule out most pairs, which are then not compared by edits.
 */
import { ratio, speak, type Spoken } from './similarity.ts';

/** A phrase prepared for comparison: spelling and sound, and the letters of each. */
export interface SpokenForm extends Spoken {
  letters: Letters;
  codes: Letters;
}

/**
 * The letters of a text, each as one of 32 bits: those that occur, those that occur twice, and those that occur three
 * times. Several letters may share a bit.
 */
type Letters = readonly [once: number, twice: number, thrice: number];

/**
 * Creates the function that prepares phrases; the sound of each word is computed once.
 * @example
 * spokenForms()('off kit').spelling; // => 'offkit'
 */
export function spokenForms(): (phrase: string) => SpokenForm {
  const sounds = new Map<string, string>();
  return (phrase) => {
    const spoken = speak(phrase, sounds);
    return { ...spoken, letters: lettersOf(spoken.spelling), codes: lettersOf(spoken.sound) };
  };
}

/**
 * Like `similarityOf`, but 0 if it is less than `least`; most pairs are ruled out by their letters alone.
 * @example
 * const speak = spokenForms();
 * similarityAtLeast(0.8, speak('key cloak'), speak('keycloak')); // => 1
 * similarityAtLeast(0.8, speak('key cloak'), speak('server')); // => 0
 */
export function similarityAtLeast(least: number, a: SpokenForm, b: SpokenForm): number {
  const spelling = mostRatio(a.spelling.length, b.spelling.length, a.letters, b.letters);
  if (spelling + 1 < 2 * least) return 0;
  const sound = mostRatio(a.sound.length, b.sound.length, a.codes, b.codes);
  if (spelling + sound < 2 * least) return 0;
  // The sound is shorter than the spelling, and so the first to be compared.
  const soundsLike = ratio(a.sound, b.sound);
  if (spelling + soundsLike < 2 * least) return 0;
  const similarity = (ratio(a.spelling, b.spelling) + soundsLike) / 2;
  return similarity < least ? 0 : similarity;
}

/** An upper bound of the ratio of two texts: each letter that the other text lacks is an edit. */
function mostRatio(a: number, b: number, inA: Letters, inB: Letters): number {
  const [a1, a2, a3] = inA;
  const [b1, b2, b3] = inB;
  const onlyA = bits(a1 & ~b1) + bits(a2 & ~b2) + bits(a3 & ~b3);
  const onlyB = bits(b1 & ~a1) + bits(b2 & ~a2) + bits(b3 & ~a3);
  return 1 - Math.max(Math.abs(a - b), onlyA, onlyB) / Math.max(a, b, 1);
}

function lettersOf(text: string): Letters {
  let [once, twice, thrice] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const bit = 1 << (text.charCodeAt(at) & 31);
    thrice |= twice & bit;
    twice |= once & bit;
    once |= bit;
  }
  return [once, twice, thrice];
}

/** The number of bits that are set. */
function bits(value: number): number {
  let left = value - ((value >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
