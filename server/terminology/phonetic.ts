/**
 * Words that sound like a term: for a person (or a language model) to look at, never applied on
 * likeness alone.
 */
import type { TranscriptWord } from '../contract/transcript.ts';
import type { ActiveTerm } from './compile.ts';
import { decide, type Draft } from './decide.ts';
import type { Match } from './match.ts';
import { compactKey } from './normalize.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { replacementFor, spanIsBroken, surfaceText } from './replace.ts';
import { indexSounds, likest, MIN_LETTERS, soundOf, type SoundIndex } from './sounds.ts';
import { readTokens, type TokenStream } from './tokens.ts';

/** Least likeness of a candidate; of one that is made of ordinary words alone. */
export const MIN_LIKENESS = 0.8;
export const MIN_LIKENESS_ORDINARY = 0.87;
/** Most tokens of a candidate. */
const MAX_TOKENS = 3;

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
  // Risky surfaces have been judged by what stands near them.
  const known = new Set(
    terms.flatMap((term) => [term.canonical, ...term.aliases, ...term.risky]).map(compactKey),
  );
  const taken = new Uint8Array(words.length);
  for (const { correction } of settled) {
    taken.fill(1, correction.firstWord, correction.lastWord + 1);
  }
  const sources: Sources = { index: indexSounds(terms), known, taken, sounds: new Map() };
  const candidates: Candidate[] = [];
  for (let first = 0; first < stream.tokens.length; first += 1) {
    if (stream.startsWord(first)) candidates.push(...candidatesAt(first, stream, sources));
  }
  return decide(words, resolve(words, candidates, taken), minConfidence);
}

type Candidate = Match & { likeness: number };

interface Sources {
  index: SoundIndex;
  /** Compact forms that are no news. */
  known: ReadonlySet<string>;
  /** 1 for each word that another edit speaks of. */
  taken: Uint8Array;
  /** Sounds of the tokens so far. */
  sounds: Map<string, string>;
}

function candidatesAt(first: number, stream: TokenStream, sources: Sources): Candidate[] {
  const { index, known, taken, sounds } = sources;
  const found: Candidate[] = [];
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
    const best = likest(index, spelling, sound, ordinary ? MIN_LIKENESS_ORDINARY : MIN_LIKENESS);
    if (best) found.push(candidate(stream, first, last, best.term, best.likeness));
  }
  return found;
}

function candidate(
  stream: TokenStream,
  first: number,
  last: number,
  term: ActiveTerm,
  likeness: number,
): Candidate {
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
  candidates: Candidate[],
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
