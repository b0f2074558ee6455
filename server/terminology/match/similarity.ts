/**
 * Measures the similarity of two words: the mean of the Levenshtein ratios of their spelling and of their Double
 * Metaphone codes. At a threshold of 0.80, this measure found 73% of unlisted mishears.
 */
import { doubleMetaphone } from 'double-metaphone';
import { distance } from 'fastest-levenshtein';
import type { ActiveTerm } from '../active-term.ts';
import { isTermSized } from '../../contract/terms.ts';
import { tokenize } from './normalize.ts';

/** The fewest letters of a word for which similarity is meaningful. */
export const MIN_LETTERS = 3;

/** The longest sound of a target, which is a few words, because the number of variants grows with its length. */
export const MAX_SOUND = 31;
/** The most targets per sound, best ranked first, since the terms of a request may all sound alike. */
const MAX_ALIKE = 100;

/** A phrase without spaces, as spelling and as sound. */
interface Spoken {
  spelling: string;
  sound: string;
}

interface Target extends Spoken {
  term: ActiveTerm;
}

/**
 * Targets by their whole sound, and by that sound without one of its codes, so that a few lookups find all targets that
 * differ by one code.
 */
export interface SoundIndex {
  bySound: Map<string, Target[]>;
  /** The hashes of the keys. Most sounds match no target, and a hash rules them out without building a string. */
  hashes: Set<number>;
  /** The length of the longest whole sound of a target. */
  longest: number;
  /** A cache of the targets of looked-up sounds, because speech repeats itself. */
  asked: Map<string, readonly Target[]>;
  /** The approximate size of `asked`: its targets, plus one for each sound. */
  held: number;
}

/** Indexes the spoken forms of terms: the canonical form, `say`, and mishears that are not ordinary English. */
export function indexSounds(terms: readonly ActiveTerm[]): SoundIndex {
  const index: SoundIndex = {
    bySound: new Map(),
    hashes: new Set(),
    longest: 0,
    asked: new Map(),
    held: 0,
  };
  const sounds = new Map<string, string>();
  for (const term of terms) {
    const forms = new Set([term.canonical, ...(term.say ? [term.say] : []), ...certain(term)]);
    for (const form of forms) {
      if (!isTermSized(form)) continue;
      const spoken = speak(form, sounds);
      if (spoken.spelling.length < MIN_LETTERS || !/^[a-z]/.test(spoken.spelling)) continue;
      if (spoken.sound.length > MAX_SOUND) continue;
      const target = { term, ...spoken };
      index.longest = Math.max(index.longest, target.sound.length);
      for (const key of variants(target.sound)) {
        const entry = index.bySound.get(key);
        if (entry && entry.length >= MAX_ALIKE) continue;
        if (entry) entry.push(target);
        else index.bySound.set(key, [target]);
        index.hashes.add(hashOf(key));
      }
    }
  }
  return index;
}

/** The mishears of a term that are not ordinary English; a word like one of them is a mishear too. */
const certain = (term: ActiveTerm): string[] =>
  term.mishears.filter((mishear) => !term.risky.includes(mishear));

/** The primary Double Metaphone code of a token; a token without one (digits) is its own sound. */
export function soundOf(token: string, known: Map<string, string>): string {
  let sound = known.get(token);
  if (sound === undefined) known.set(token, (sound = doubleMetaphone(token)[0] || token));
  return sound;
}

/** A phrase as spelling and as sound; `known` keeps the sounds of words. */
function speak(phrase: string, known: Map<string, string>): Spoken {
  const tokens = tokenize(phrase);
  return {
    spelling: tokens.join(''),
    sound: tokens.map((token) => soundOf(token, known)).join(''),
  };
}

/** A sound and its variants with one code left out. Two codes or fewer have none, since they would be too common. */
export function variants(sound: string): Set<string> {
  const keys = new Set([sound]);
  if (sound.length < 3) return keys;
  for (let at = 0; at < sound.length; at += 1) {
    keys.add(sound.slice(0, at) + sound.slice(at + 1));
  }
  return keys;
}

/**
 * The base of a polynomial hash in 32 bits. The hash of a string without one letter follows from the hashes of its two
 * parts.
 */
const BASE = 0x01000193;
/** The powers of the base. There is one more than needed for a target, since a looked-up sound may be longer. */
const POWERS = Array.from({ length: MAX_SOUND + 2 }, () => 1);
for (let at = 1; at < POWERS.length; at += 1) POWERS[at] = Math.imul(POWERS[at - 1]!, BASE);

/** The hash of a sound. */
export function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  }
  return hash;
}

/** Whether the hash of a sound of at most 32 codes, or of one of its variants, is in the set. */
export function mayHaveTargets(hashes: ReadonlySet<number>, sound: string): boolean {
  const { length } = sound;
  const whole = hashOf(sound);
  if (hashes.has(whole)) return true;
  if (length < 3) return false;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const power = POWERS[length - 1 - at]!;
    const upTo = (Math.imul(before, BASE) + sound.charCodeAt(at)) | 0;
    const after = (whole - Math.imul(upTo, power)) | 0;
    if (hashes.has((Math.imul(before, power) + after) | 0)) return true;
    before = upTo;
  }
  return false;
}

/** Whether any term may sound like this; a cheap test that rules out most sounds. */
export const maySoundAlike = (index: SoundIndex, sound: string): boolean =>
  sound.length <= index.longest + 1 && mayHaveTargets(index.hashes, sound);

/** The term that is most similar to a word; `rival` is the similarity of the next best term. */
export interface MostSimilar {
  term: ActiveTerm;
  sound: string;
  similarity: number;
  rival: number;
}

/** The term that is most similar to a word, if its similarity is at least `least`. */
export function mostSimilar(
  index: SoundIndex,
  spelling: string,
  sound: string,
  least: number,
): MostSimilar | null {
  let best: MostSimilar | null = null;
  let rival = 0;
  for (const target of targetsOf(index, sound)) {
    // The lengths alone can rule out a pair.
    const gap = Math.abs(spelling.length - target.spelling.length);
    if (gap > 0.4 * Math.max(spelling.length, target.spelling.length)) continue;
    const similarity = compare({ spelling, sound }, target);
    if (similarity >= (best?.similarity ?? least)) {
      if (best && best.term !== target.term) rival = best.similarity;
      best = { term: target.term, sound: target.sound, similarity, rival };
    } else if (best?.term !== target.term) rival = Math.max(rival, similarity);
  }
  return best && { ...best, rival };
}

/**
 * The similarity of two phrases without spaces, 0..1.
 * @example
 * similarityOf('AuthKit', 'auth kit'); // => 1
 * similarityOf('clawed', 'Claude') > similarityOf('banana', 'Claude'); // => true
 */
export function similarityOf(a: string, b: string): number {
  const sounds = new Map<string, string>();
  return compare(speak(a, sounds), speak(b, sounds));
}

const compare = (a: Spoken, b: Spoken): number =>
  (ratio(a.spelling, b.spelling) + ratio(a.sound, b.sound)) / 2;

const NOBODY: readonly Target[] = [];
/** The greatest size of `asked`: 20,000 strings and references, which take less than 2 MB. */
const MAX_HELD = 20_000;

function targetsOf(index: SoundIndex, sound: string): readonly Target[] {
  let targets = index.asked.get(sound);
  if (!targets && !maySoundAlike(index, sound)) return NOBODY;
  if (!targets) {
    const found = new Set<Target>();
    for (const key of variants(sound)) {
      for (const target of index.bySound.get(key) ?? NOBODY) found.add(target);
    }
    targets = found.size > 0 ? [...found] : NOBODY;
    // The index outlives transcripts, so its cache must not grow without limit.
    if (index.held >= MAX_HELD) {
      index.asked.clear();
      index.held = 0;
    }
    index.held += 1 + targets.length;
    index.asked.set(sound, targets);
  }
  return targets;
}

/** The Levenshtein ratio of two texts, 0..1. */
const ratio = (a: string, b: string): number =>
  1 - distance(a, b) / Math.max(a.length, b.length, 1);

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
