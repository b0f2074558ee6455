/**
 * Words that sound like a term: for a person (or a language model) to look at, never applied on
 * likeness alone. Likeness is the mean of the Levenshtein ratios of spelling and of Double Metaphone
 * code, the measure that found 73 % of unlisted mishears at .80.
 */
import { doubleMetaphone } from 'double-metaphone';
import { distance } from 'fastest-levenshtein';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { ActiveTerm } from './compile.ts';
import { decide, type Draft } from './decide.ts';
import type { Match } from './match.ts';
import { compactKey, tokenize } from './normalize.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { replacementFor, spanIsBroken, surfaceText } from './replace.ts';
import { readTokens, type TokenStream } from './tokens.ts';

/** Least likeness of a candidate; of one that is made of ordinary words alone. */
export const MIN_LIKENESS = 0.8;
export const MIN_LIKENESS_ORDINARY = 0.87;
/** Least letters of a candidate. */
const MIN_LETTERS = 4;
/** Most tokens of a candidate. */
const MAX_TOKENS = 3;

interface Target {
  term: ActiveTerm;
  spelling: string;
  sound: string;
}

/** Targets by their sounds whole and with one left out, so that a few lookups find all that differ by one. */
interface SoundIndex {
  bySound: Map<string, Target[]>;
  /** Longest whole sound of a target. */
  longest: number;
  /** Targets of a sound asked for before: speech repeats itself. */
  asked: Map<string, readonly Target[]>;
}

/**
 * The candidates of a transcript outside the words that `settled` already speaks of. About linear in
 * words, whatever the number of terms.
 */
export function findPhonetic(
  words: readonly TranscriptWord[],
  terms: readonly ActiveTerm[],
  settled: readonly Draft[],
  minConfidence: number,
): Draft[] {
  const stream = readTokens(words);
  const index = indexSounds(terms);
  // Risky surfaces have been judged by what stands near them.
  const known = new Set(
    terms.flatMap((term) => [term.canonical, ...term.aliases, ...term.risky]).map(compactKey),
  );
  const taken = new Uint8Array(words.length);
  for (const { correction } of settled) {
    taken.fill(1, correction.firstWord, correction.lastWord + 1);
  }
  const sounds = new Map<string, string>();
  const candidates: (Match & { likeness: number })[] = [];
  for (let first = 0; first < stream.tokens.length; first += 1) {
    if (!stream.startsWord(first)) continue;
    let spelling = '';
    let sound = '';
    let ordinary = true;
    let names = false;
    for (let last = first; last < Math.min(first + MAX_TOKENS, stream.tokens.length); last += 1) {
      const token = stream.tokens[last] ?? '';
      if (taken[stream.wordOf(last)]) break;
      spelling += token;
      sound += soundOf(token, sounds);
      ordinary &&= isOrdinaryWord(token) || isFunctionWord(token);
      names ||= !isFunctionWord(token);
      if (!names || spelling.length < MIN_LETTERS || !stream.endsWord(last)) continue;
      if (known.has(spelling) || known.has(spelling.replace(/'?s$/, ''))) continue;
      const least = ordinary ? MIN_LIKENESS_ORDINARY : MIN_LIKENESS;
      const best = likest(index, spelling, sound, least);
      if (best) candidates.push(candidate(stream, first, last, best.term, best.likeness));
    }
  }
  const matches = resolve(words, candidates, taken);
  return decide(words, matches, minConfidence);
}

function indexSounds(terms: readonly ActiveTerm[]): SoundIndex {
  const index: SoundIndex = { bySound: new Map(), longest: 0, asked: new Map() };
  const sounds = new Map<string, string>();
  for (const term of terms) {
    const forms = new Set([term.canonical, ...(term.say ? [term.say] : []), ...certain(term)]);
    for (const form of forms) {
      const tokens = tokenize(form);
      const spelling = tokens.join('');
      if (spelling.length < MIN_LETTERS || !/^[a-z]/.test(spelling)) continue;
      const sound = tokens.map((token) => soundOf(token, sounds)).join('');
      const target = { term, spelling, sound };
      index.longest = Math.max(index.longest, sound.length);
      for (const key of variants(sound)) {
        const entry = index.bySound.get(key);
        if (entry) entry.push(target);
        else index.bySound.set(key, [target]);
      }
    }
  }
  return index;
}

/** What is like a known mishear is a mishear, unless it is ordinary English itself. */
const certain = (term: ActiveTerm): string[] =>
  term.mishears.filter((mishear) => !term.risky.includes(mishear));

/** The primary Double Metaphone code; what has none (digits) stands for itself. */
function soundOf(token: string, known: Map<string, string>): string {
  let sound = known.get(token);
  if (sound === undefined) known.set(token, (sound = doubleMetaphone(token)[0] || token));
  return sound;
}

/** Codes of two letters or less are too common to leave one out. */
function variants(sound: string): Set<string> {
  const keys = new Set([sound]);
  if (sound.length < 3) return keys;
  for (let at = 0; at < sound.length; at += 1) {
    keys.add(sound.slice(0, at) + sound.slice(at + 1));
  }
  return keys;
}

function likest(
  index: SoundIndex,
  spelling: string,
  sound: string,
  least: number,
): { term: ActiveTerm; likeness: number } | null {
  let best: { term: ActiveTerm; likeness: number } | null = null;
  for (const target of targetsOf(index, sound)) {
    // Lengths alone can rule a pair out, without comparing a letter.
    const gap = Math.abs(spelling.length - target.spelling.length);
    if (gap > 0.4 * Math.max(spelling.length, target.spelling.length)) continue;
    const likeness = (ratio(spelling, target.spelling) + ratio(sound, target.sound)) / 2;
    if (likeness >= (best?.likeness ?? least)) best = { term: target.term, likeness };
  }
  return best;
}

const NOBODY: readonly Target[] = [];

function targetsOf(index: SoundIndex, sound: string): readonly Target[] {
  if (sound.length > index.longest + 1) return NOBODY;
  let targets = index.asked.get(sound);
  if (!targets) {
    const found = new Set<Target>();
    for (const key of variants(sound)) {
      for (const target of index.bySound.get(key) ?? NOBODY) found.add(target);
    }
    targets = found.size > 0 ? [...found] : NOBODY;
    index.asked.set(sound, targets);
  }
  return targets;
}

const ratio = (a: string, b: string): number =>
  1 - distance(a, b) / Math.max(a.length, b.length, 1);

function candidate(
  stream: TokenStream,
  first: number,
  last: number,
  term: ActiveTerm,
  likeness: number,
): Match & { likeness: number } {
  const { words } = stream;
  const firstWord = stream.wordOf(first);
  const lastWord = stream.wordOf(last);
  const surface = surfaceText(words, firstWord, lastWord);
  const suffix = /['’]s$/i.test(surface) ? "'s" : '';
  return {
    firstWord,
    lastWord,
    term,
    surface,
    replacement: replacementFor(words, firstWord, lastWord, term.canonical, suffix).replacement,
    evidence: 'phonetic',
    // Likeness .80–1 comes to .60–.80: at the default it is for review, never to be made.
    confidence: Math.round((likeness - 0.2) * 100) / 100,
    reason: `"${surface}" sounds like ${term.canonical}.`,
    likeness,
  };
}

/** The likest candidates that do not overlap. */
function resolve(
  words: readonly TranscriptWord[],
  candidates: (Match & { likeness: number })[],
  taken: Uint8Array,
): Match[] {
  const kept: Match[] = [];
  candidates.sort((a, b) => b.likeness - a.likeness || a.firstWord - b.firstWord);
  for (const { likeness: _, ...match } of candidates) {
    const { firstWord, lastWord } = match;
    if (taken.subarray(firstWord, lastWord + 1).includes(1)) continue;
    if (spanIsBroken(words, firstWord, lastWord)) continue;
    taken.fill(1, firstWord, lastWord + 1);
    kept.push(match);
  }
  return kept.sort((a, b) => a.firstWord - b.firstWord);
}
