/** Finds the places where a transcript has a known term in a form it should not have. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { contextOf, NEAR_TOKENS, type Sighting } from './context.ts';
import type { ActiveTerm } from './compile.ts';
import { CONFIDENCE, isRightAsHeard, judge, type Evidence } from './evidence.ts';
import { memoized } from './memoized.ts';
import { phraseKey, stemOf } from './normalize.ts';
import { replacementFor, spanIsBroken } from './replace.ts';
import { indexSurfaces, lookUp, type SurfaceIndex } from './surface-index.ts';
import type { Surface } from './surfaces.ts';
import { placesOf } from './taken.ts';
import {
  nearbyWord,
  readTokens,
  surroundingsOf,
  type Surroundings,
  type TokenStream,
} from './tokens.ts';
import { MAX_SURFACE_TOKENS } from './variants.ts';

/** A place that should read otherwise. Word indexes are inclusive. */
export interface Match {
  firstWord: number;
  lastWord: number;
  term: ActiveTerm;
  /** The words as heard, without outer punctuation. */
  surface: string;
  /** What should stand there, with the punctuation and ending of what was heard. */
  replacement: string;
  evidence: Evidence;
  confidence: number;
  /** Why, in a sentence. */
  reason: string;
  /** The replacement is only part of the term, whose other words stand beside it. */
  part?: true;
}

/** Terms made ready to be looked for; reusable over transcripts. */
export interface Matcher {
  readonly terms: readonly ActiveTerm[];
  /** Linear in words. */
  survey(words: readonly TranscriptWord[]): Survey;
}

/** What was found in a transcript. */
export interface Survey {
  stream: TokenStream;
  /** The places to change, in order, none overlapping. */
  matches: Match[];
  /** Where terms stand for sure, right or wrong, in order. */
  sightings: Sighting[];
  /** Where terms stand as they should. */
  right: Sighting[];
  /** The near word of a term that stands close to a span of tokens, or null. */
  nearWord(term: ActiveTerm, first: number, last: number): string | null;
}

/** Runs of one kind have the same terms: these are made ready once. */
const inEnglish = memoized((terms: readonly ActiveTerm[]) => indexSurfaces(terms, true));
const inAnother = memoized((terms: readonly ActiveTerm[]) => indexSurfaces(terms, false));

/**
 * Makes a matcher.
 * @param options.language BCP 47 of the speech (default English)
 */
export function createMatcher(
  terms: readonly ActiveTerm[],
  options: { language?: string } = {},
): Matcher {
  const english = /^en\b/i.test(options.language ?? 'en');
  const index = english ? inEnglish(terms) : inAnother(terms);
  return {
    terms,
    survey(words) {
      const stream = readTokens(words);
      const found = resolve(collect(stream, index), stream);
      return {
        stream,
        matches: found.flatMap(({ match }) => match ?? []),
        sightings: found.filter(isSure).map(sighting),
        right: found.filter(({ match }) => match === null).map(sighting),
        nearWord: (term, first, last) => nearWord(stream, index, term, first, last),
      };
    },
  };
}

/** A surface found at a span of tokens; `match` is null where the words are right as they are. */
interface Found {
  first: number;
  last: number;
  surface: Surface;
  match: Match | null;
  /** Needs evidence around it: yields to what does not. */
  weak: boolean;
}

function collect(stream: TokenStream, index: SurfaceIndex): Found[] {
  const found: Found[] = [];
  for (let first = 0; first < stream.tokens.length; first += 1) {
    const token = stream.tokens[first] ?? '';
    const stem = stemOf(token);
    const longest = Math.max(
      index.lengths.get(token) ?? 0,
      stem && index.lengths.has(stem.stem) ? 1 : 0,
    );
    let prefix = '';
    for (let last = first; last - first < Math.min(longest, MAX_SURFACE_TOKENS); last += 1) {
      const tail = stream.tokens[last];
      if (tail === undefined) break;
      const hit = lookUp(index, prefix, tail);
      const made = hit && evaluate(stream, index, first, last, hit.surface, hit.suffix);
      if (made) found.push(made);
      prefix += `${tail} `;
    }
  }
  return found;
}

function evaluate(
  stream: TokenStream,
  index: SurfaceIndex,
  first: number,
  last: number,
  surface: Surface,
  suffix: Surface['suffix'],
): Found | null {
  const { words } = stream;
  const firstWord = stream.wordOf(first);
  const lastWord = stream.wordOf(last);
  if (spanIsBroken(words, firstWord, lastWord)) return null;
  const around = surroundingsOf(stream, first, last);
  if (!around) return null;
  if (isPartOfWord(around) && !holdsInWord(surface, lastWord > firstWord)) return null;
  const found = { first, last, surface, match: null, weak: false };
  if (surface.form === 'alias') return found;
  const { term } = surface;
  const { text, heard, replacement } = replacementFor(words, {
    firstWord,
    lastWord,
    canonical: term.canonical,
    suffix,
    ...around,
  });
  const match = { firstWord, lastWord, term, surface: heard, replacement };
  if (text === replacement || isRightAsHeard(heard, surface)) return found;
  const judged = judge(surface, heard, term, () => nearWord(stream, index, term, first, last));
  if (!judged) return null;
  const weak = judged.confidence < CONFIDENCE.licensedPhrase;
  return { ...found, match: { ...match, ...judged }, weak };
}

const nearWord = (
  stream: TokenStream,
  index: SurfaceIndex,
  term: ActiveTerm,
  first: number,
  last: number,
): string | null => nearbyWord(stream, first, last, index.near.get(term), NEAR_TOKENS);

const isPartOfWord = ({ head, tail }: Surroundings): boolean => head !== '' || tail !== '';

/**
 * "mcp-based" holds MCP for sure, "open ai-based" OpenAI. What may be ordinary words is not looked for
 * inside of words, nor is a mishear in a single one ("off-kit-like").
 */
const holdsInWord = (surface: Surface, acrossWords: boolean): boolean => {
  const { form, distinctness, risky, key, term } = surface;
  if (form === 'canonical') return distinctness === 'sure';
  if (form !== 'mishear' || risky) return false;
  return acrossWords || key === `${phraseKey(term.canonical)}'s`;
};

/** Picks what does not overlap: certain before weak, longer before shorter, heavier, earlier. In order of place. */
function resolve(found: readonly Found[], stream: TokenStream): Found[] {
  const ranked = [...found].sort(
    (a, b) =>
      Number(a.weak) - Number(b.weak) ||
      b.last - b.first - (a.last - a.first) ||
      b.surface.term.weight - a.surface.term.weight ||
      a.first - b.first,
  );
  const tokens = placesOf(stream.tokens.length);
  const words = placesOf(stream.words.length);
  const kept: Found[] = [];
  for (const entry of ranked) {
    const { first, last, match } = entry;
    if (!tokens.isFree(first, last)) continue;
    if (match) {
      // Of two edits in one word ("saml/oidc") the second waits for the next round.
      if (!words.isFree(match.firstWord, match.lastWord)) continue;
      words.take(match.firstWord, match.lastWord);
    }
    tokens.take(first, last);
    kept.push(entry);
  }
  kept.sort((a, b) => a.first - b.first);
  licensePhrases(kept);
  return kept;
}

const sighting = ({ first, last, surface }: Found): Sighting => ({
  first,
  last,
  term: surface.term,
});

/** Whether it is the term beyond doubt. */
const isSure = ({ weak, surface }: Found): boolean => !weak && surface.distinctness === 'sure';

/** A phrase of ordinary words is taken for a name where a sure term of the same pack stands close by. */
function licensePhrases(kept: readonly Found[]): void {
  const sightings = kept.filter(isSure).map(sighting);
  for (const { first, last, match } of kept) {
    if (match?.confidence !== CONFIDENCE.unlicensedPhrase) continue;
    const context = contextOf(match.term, first, last, sightings);
    if (!context) continue;
    match.confidence = CONFIDENCE.licensedPhrase;
    match.reason = `"${match.surface}" is the name ${match.term.canonical}: ${context.term.canonical} is near.`;
  }
}
