/** Finds the places in a transcript where a known term has a wrong form, the certain ones and those that others in the talk support. */
import { meanConfidence } from '../../contract/confidence.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import type { ActiveTerm } from '../active-term.ts';
import { type Match, NEAR_TOKENS, type Sighting, freePlaces, contextOf } from './findings.ts';
import { CONFIDENCE, isOrdinary, judge } from './judge.ts';
import { memoized } from './memoized.ts';
import { phraseKey, stemOf, tokenize, tokenizeWord } from './normalize.ts';
import { replacementFor, spanIsBroken } from './replace.ts';
import { type Surface, surfacesOf, MAX_SURFACE_TOKENS } from './surfaces.ts';
import { nearbyWord, readTokens, surroundingsOf, type TokenStream } from './token-stream.ts';
import { isFunctionWord } from './ordinary-words.ts';

/** Ordinary words count as correctly recognised if the recogniser is at least this confident. */
const HIGH_CONFIDENCE = 0.85;

/** A surface found at a span of tokens; `match` is null if the words are already right. */
interface Found {
  first: number;
  last: number;
  surface: Surface;
  match: Match | null;
  /** Whether it needs supporting evidence, and so yields to findings that do not. */
  weak: boolean;
}

/** Returns a near word of a term close to a span of tokens, or null. */
type NearWord = (term: ActiveTerm, first: number, last: number) => string | null;

/** The place of a finding. */
const sighting = ({ first, last, surface }: Found): Sighting => ({
  first,
  last,
  term: surface.term,
});

/** Whether a finding is certainly the term. */
const isSure = ({ weak, surface }: Found): boolean => !weak && surface.distinctness === 'sure';

const MAY_BE_ANYTHING: ReadonlySet<Surface['distinctness']> = new Set(['ordinary', 'symbol']);

/**
 * The terms that were recognised clearly: certain ones, and phrases with the correct capitals. A single
 * ordinary word with a capital does not count, because it may begin a sentence, and neither does "D1", which may be a
 * symbol.
 */
const clearOf = (found: readonly Found[]): Set<ActiveTerm> =>
  new Set(
    found.flatMap((one) =>
      isSure(one) || (one.match === null && !MAY_BE_ANYTHING.has(one.surface.distinctness))
        ? one.surface.term
        : [],
    ),
  );

/** A talk with at least so many different terms of a pack is about the pack's subject. */
const TERMS_OF_SUBJECT = 2;

/** The packs that a talk is about: at least two of their terms are certain in it. */
function subjectsOf(found: readonly Found[]): ReadonlySet<string> {
  const terms = new Map<string, Set<ActiveTerm>>();
  for (const { surface } of found.filter(isSure)) {
    for (const id of surface.term.packIds) {
      terms.set(id, (terms.get(id) ?? new Set()).add(surface.term));
    }
  }
  return new Set([...terms].flatMap(([id, { size }]) => (size >= TERMS_OF_SUBJECT ? id : [])));
}

/**
 * Whether a finding is only a doubt: ordinary words that were recognised with low confidence, such as "skim" at 0.4 for
 * SCIM.
 */
const isDoubted = ({ match }: Found): boolean => match?.confidence === CONFIDENCE.doubted;

/**
 * Drops the findings that need support from the rest of the talk and have none, and raises the confidence of those that
 * have it. "d1" stays if "SQLite" is said nearby, and is dropped in a talk about geometry.
 * - A phrase of ordinary words is a name if a certain term of the same pack is close by, if the talk is about the
 *   subject of its pack, or if the talk has the name elsewhere.
 * - A name that was split into ordinary words ("one login") needs to be elsewhere in the talk, and a certain term or a
 * near word close by.
 * - Ordinary words recognised with low confidence are a term if the talk is about the subject of its pack, unless the
 * same words were recognised with confidence elsewhere in the talk: then they were probably spoken here too.
 * - A name of one letter and one digit ("D1") needs the same as such a phrase, and so do letters with commas ("s, s, o").
 *   Without support, they are not even shown.
 * @param ordinary the surfaces of ordinary words that were recognised with confidence somewhere
 */
function supportedFindings(
  found: readonly Found[],
  near: NearWord,
  ordinary: ReadonlySet<string>,
): Found[] {
  const sightings = found.filter(isSure).map(sighting);
  const clear = clearOf(found);
  const subjects = subjectsOf(found);
  const belongs = ({ packIds }: ActiveTerm): boolean => packIds.some((id) => subjects.has(id));
  const kept = found.filter(
    (one) => !isDoubted(one) || (belongs(one.surface.term) && !ordinary.has(one.surface.key)),
  );
  for (const { first, last, match, surface } of kept) {
    if (!match) continue;
    const { term, confidence, evidence } = match;
    if (confidence === CONFIDENCE.doubted) match.confidence = CONFIDENCE.sound;
    if (evidence === 'risky' && confidence === CONFIDENCE.sound && ordinary.has(surface.key)) {
      match.confidence = CONFIDENCE.risky;
    }
    const isSplit = evidence === 'spacing' && confidence === CONFIDENCE.risky;
    if (confidence !== CONFIDENCE.unlicensedPhrase && !isSplit) continue;
    const company =
      contextOf(term, first, last, sightings)?.term.canonical ??
      (isSplit ? near(term, first, last) : null);
    const isClear = clear.has(term);
    const isSubject = belongs(term);
    if (isSplit ? company === null || !isClear : company === null && !isClear && !isSubject)
      continue;
    match.confidence = CONFIDENCE.licensedPhrase;
    const why =
      company !== null
        ? `: ${company} is nearby.`
        : isClear
          ? ', which was said elsewhere too.'
          : ', which belongs to the subject of the talk.';
    match.reason = `"${match.surface}" is the name ${term.canonical}${why}`;
  }
  return kept.filter(
    ({ match, surface }) =>
      match?.confidence !== CONFIDENCE.unlicensedPhrase ||
      !(surface.distinctness === 'symbol' || match.surface.includes(',')),
  );
}

/** Terms prepared for searching any number of transcripts. */
export interface Matcher {
  readonly terms: readonly ActiveTerm[];
  /** Searches a transcript, in time linear in its words. */
  survey(words: readonly TranscriptWord[]): Survey;
}

/** The findings in a transcript. */
export interface Survey {
  stream: TokenStream;
  /** Whether the speech is English. */
  english: boolean;
  /** The places to correct, in order and without overlaps. */
  matches: Match[];
  /** The places of certain terms, whether right or wrong, in order. */
  sightings: Sighting[];
  /** The places of terms that are already right. */
  right: Sighting[];
  /** The terms that were recognised clearly somewhere, and are therefore certainly a subject of the talk. */
  clear: ReadonlySet<ActiveTerm>;
  /** Finds a near word of a term close to a span of tokens. */
  nearWord: NearWord;
}

/** Runs with the same packs share their terms, so each list is prepared only once. */
const inEnglish = memoized((terms: readonly ActiveTerm[]) => indexSurfaces(terms, true));
const inAnother = memoized((terms: readonly ActiveTerm[]) => indexSurfaces(terms, false));

/**
 * Creates a matcher.
 * @param options.language BCP 47 language of the speech (default English)
 * @example
 * const term = {
 *   canonical: 'AuthKit',
 *   category: 'product_name' as const,
 *   mishears: ['off kit'],
 *   risky: [],
 *   near: [],
 *   aliases: [],
 *   say: 'auth kit',
 *   weight: 10,
 *   keyterm: true,
 *   explicit: true,
 *   packIds: [],
 * };
 * const words = [{ text: 'off', start: 0, end: 0.2 }, { text: 'kit', start: 0.2, end: 0.4 }];
 * createMatcher([term]).survey(words).matches.map(({ replacement }) => replacement); // => ['AuthKit']
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
      const near = (term: ActiveTerm, first: number, last: number): string | null =>
        nearWord(stream, index, term, first, last);
      const found = resolve(collect(stream, index), stream, near);
      return {
        stream,
        english,
        matches: found.flatMap(({ match }) => match ?? []),
        sightings: found.filter(isSure).map(sighting),
        right: found.filter(({ match }) => match === null).map(sighting),
        clear: clearOf(found),
        nearWord: near,
      };
    },
  };
}

interface Collected {
  found: Found[];
  /** The surfaces of ordinary words that were recognised with confidence somewhere. */
  ordinary: Set<string>;
}

function collect(stream: TokenStream, index: SurfaceIndex): Collected {
  const found: Found[] = [];
  const ordinary = new Set<string>();
  const isInformative = isConfidenceInformative(stream.words);
  for (let first = 0; first < stream.tokens.length; first += 1) {
    const token = stream.tokens[first]!;
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
      const made =
        hit && evaluate(stream, index, { first, last, ...hit }, { ordinary, isInformative });
      if (made) found.push(made);
      prefix += `${tail} `;
    }
  }
  return { found, ordinary };
}

/** A span of tokens that is a surface. */
interface Hit {
  first: number;
  last: number;
  surface: Surface;
  suffix: Surface['suffix'];
}

/**
 * Judges a span. Ordinary words that were recognised with confidence are added to `ordinary`; `isInformative` is the
 * result of isConfidenceInformative.
 */
function evaluate(
  stream: TokenStream,
  index: SurfaceIndex,
  { first, last, surface, suffix }: Hit,
  { ordinary, isInformative }: { ordinary: Set<string>; isInformative: boolean },
): Found | null {
  const { words } = stream;
  const firstWord = stream.wordOf(first);
  const lastWord = stream.wordOf(last);
  if (spanIsBroken(words, firstWord, lastWord)) return null;
  const around = surroundingsOf(stream, first, last);
  if (!around) return null;
  if (isPartOfWord(around) && !holdsInWord(surface, lastWord > firstWord)) return null;
  const found = { first, last, surface, match: null, weak: false };
  if (surface.term.never?.includes(surface.key)) return null;
  if (surface.form === 'alias') return found;
  if (surface.distinctness === 'symbol' && isOneOfSymbols(stream, index, first, last)) {
    return null;
  }
  const { term } = surface;
  const { text, heard, replacement } = replacementFor(words, {
    firstWord,
    lastWord,
    canonical: term.canonical,
    suffix,
    ...around,
  });
  const match = { firstWord, lastWord, term, surface: heard, replacement };
  if (text === replacement || isCorrectAsRecognised(heard, surface)) return found;
  const confidence = isInformative ? leastConfidence(words, firstWord, lastWord) : 1;
  if (confidence >= HIGH_CONFIDENCE && isOrdinary(surface, heard)) ordinary.add(surface.key);
  const near = () => nearWord(stream, index, term, first, last);
  const judged = judge(surface, heard, term, { near, confidence });
  if (!judged) return null;
  const weak = judged.confidence < CONFIDENCE.licensedPhrase;
  return { ...found, match: { ...match, ...judged }, weak };
}

/** One letter and one digit. */
const SYMBOL = /^\p{L}\d$/u;
const JOINING = new Set(['and', 'or', 'plus', 'minus', 'times', 'over', 'equals']);

/** Whether a symbol stands beside another one that means nothing here ("v1 and r2"): then both are quantities. */
function isOneOfSymbols(
  { tokens }: TokenStream,
  index: SurfaceIndex,
  first: number,
  last: number,
): boolean {
  const beside = (next: number, step: number): string =>
    tokens[JOINING.has(tokens[next] ?? '') ? next + step : next] ?? '';
  return [beside(first - 1, -1), beside(last + 1, 1)].some(
    (other) => SYMBOL.test(other) && !index.byKey.has(other) && !index.allNear.has(other),
  );
}

const nearWord = (
  stream: TokenStream,
  index: SurfaceIndex,
  term: ActiveTerm,
  first: number,
  last: number,
): string | null => nearbyWord(stream, first, last, index.near.get(term), NEAR_TOKENS);

const isPartOfWord = ({ head, tail }: { head: string; tail: string }): boolean =>
  head !== '' || tail !== '';

/**
 * Whether to search for a surface inside words. "mcp-based" certainly contains MCP, and "open ai-based" OpenAI.
 * Excluded are forms that may be ordinary words, and mishears within a single word ("off-kit-like").
 */
const holdsInWord = (surface: Surface, acrossWords: boolean): boolean => {
  const { form, distinctness, risky, key, term } = surface;
  if (form === 'canonical') return distinctness === 'sure';
  if (form !== 'mishear' || risky) return false;
  return acrossWords || key === `${phraseKey(term.canonical)}'s`;
};

/**
 * Selects findings that do not overlap, in order of place. Certain findings come before weak ones, and weak ones before
 * words that only low confidence supports; then longer ones before shorter ones, higher weights before lower ones, and
 * earlier ones before later ones.
 */
function resolve({ found, ordinary }: Collected, stream: TokenStream, near: NearWord): Found[] {
  const ranked = [...found].sort(
    (a, b) =>
      Number(a.weak) - Number(b.weak) ||
      Number(isDoubted(a)) - Number(isDoubted(b)) ||
      b.last - b.first - (a.last - a.first) ||
      b.surface.term.weight - a.surface.term.weight ||
      a.first - b.first,
  );
  const tokens = freePlaces(stream.tokens.length);
  const words = freePlaces(stream.words.length);
  const kept: Found[] = [];
  for (const entry of ranked) {
    const { first, last, match } = entry;
    if (!tokens.isFree(first, last)) continue;
    if (match) {
      // If two edits are in the same word ("saml/oidc"), the second one waits for the next round.
      if (!words.isFree(match.firstWord, match.lastWord)) continue;
      words.take(match.firstWord, match.lastWord);
    }
    tokens.take(first, last);
    kept.push(entry);
  }
  kept.sort((a, b) => a.first - b.first);
  const whole = kept.filter((one) => !isCutFromLetters(one, stream, tokens.isFree));
  return supportedFindings(whole, near, ordinary);
}

/** A letter of something that is spelled; "a" and "I" are words. */
const SPELLED_LETTER = /^[b-hj-z]$/;
/** The most letters that are a part of something else by chance. */
const FEW_SPELLED = 3;

/**
 * Whether a finding is a part of something longer that is spelled letter by letter: "h i c p" is not ICP. Letters of
 * other findings may be next to it ("m c p a p i"), and longer ones stay ("anti" heard as "n t" before BCMA).
 */
function isCutFromLetters(
  { first, last }: Found,
  { tokens, words, wordOf }: TokenStream,
  isFree: (token: number) => boolean,
): boolean {
  if (last - first >= FEW_SPELLED) return false;
  for (let at = first; at <= last; at += 1) if (tokens[at]!.length > 1) return false;
  const isSpelled = (at: number): boolean => SPELLED_LETTER.test(tokens[at] ?? '') && isFree(at);
  return (
    (isSpelled(first - 1) && !spanIsBroken(words, wordOf(first - 1), wordOf(first))) ||
    (isSpelled(last + 1) && !spanIsBroken(words, wordOf(last), wordOf(last + 1)))
  );
}

/**
 * The mean confidence below which a recogniser is unsure of nearly everything, so that a low confidence says nothing.
 */
const MIN_MEAN = 0.7;

/**
 * Whether low confidence in single words is meaningful: only if the recogniser is confident of most words of the
 * transcript, unlike rough engines.
 */
const isConfidenceInformative = (words: readonly TranscriptWord[]): boolean =>
  (meanConfidence(words) ?? 0) >= MIN_MEAN;

/**
 * The least confidence among the words of a span, 0..1; function words count only if there are no others, because their
 * confidence is often low and means little. It is 1 if the recogniser gives none.
 */
function leastConfidence(
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): number {
  const span = words.slice(firstWord, lastWord + 1);
  const names = span.filter(({ text }) => !tokenizeWord(text).every(isFunctionWord));
  return Math.min(1, ...(names.length > 0 ? names : span).flatMap((word) => word.confidence ?? []));
}

interface SurfaceIndex {
  byKey: Map<string, Surface>;
  /** For each first token, the most tokens of the surfaces that begin with it. */
  lengths: Map<string, number>;
  /** The near words of terms. */
  near: Map<ActiveTerm, Set<string>>;
  /** Those of all terms. */
  allNear: Set<string>;
}

/**
 * Indexes the surfaces of terms. Of two surfaces with the same key, the accepted form wins, then the term that is divided
 * into more words, as heard ("AFM 24", not "AFM24"), then the term of higher rank.
 * @param english whether the speech is English (see surfaces.ts)
 */
function indexSurfaces(terms: readonly ActiveTerm[], english: boolean): SurfaceIndex {
  const byKey = new Map<string, Surface>();
  const lengths = new Map<string, number>();
  const near = new Map<ActiveTerm, Set<string>>();
  for (const term of terms) {
    if (term.near.length > 0) {
      near.set(term, new Set(term.near.map(phraseKey)));
    }
    for (const surface of surfacesOf(term, english)) {
      const other = byKey.get(surface.key);
      const order = other ? precedence(other) - precedence(surface) : 1;
      if (order < 0 || (order === 0 && wordsOf(other!) >= wordsOf(surface))) continue;
      byKey.set(surface.key, surface);
      const tokens = surface.key.split(' ');
      const first = tokens[0]!;
      lengths.set(first, Math.max(lengths.get(first) ?? 0, tokens.length));
    }
  }
  return {
    byKey,
    lengths,
    near,
    allNear: new Set([...near.values()].flatMap((words) => [...words])),
  };
}

const FORM_ORDER = {
  canonical: 0,
  alias: 0,
  mishear: 1,
  joined: 2,
  spelled: 3,
  split: 4,
  spoken: 5,
  pieces: 6,
} as const;
const wordsOf = ({ term }: Surface): number => tokenize(term.canonical).length;
const precedence = ({ form }: Surface): number => FORM_ORDER[form];

/** Looks up a surface by its tokens, unchanged or without the ending of the last one. */
function lookUp(
  index: SurfaceIndex,
  prefix: string,
  tail: string,
): { surface: Surface; suffix: Surface['suffix'] } | null {
  const whole = index.byKey.get(prefix + tail);
  if (whole) return { surface: whole, suffix: whole.suffix };
  const stem = stemOf(tail);
  const base = stem && index.byKey.get(prefix + stem.stem);
  // Two endings ("embeddings's") are not a form of the term.
  return stem && base && base.suffix === '' ? { surface: base, suffix: stem.suffix } : null;
}

/**
 * Whether a surface is correct as recognised, because its term has no capitals and is correct in upper and lower case.
 * Without its hyphen ("fine tuning"), it is correct only where it may be other words ("please check in").
 */
function isCorrectAsRecognised(heard: string, { form, distinctness, term }: Surface): boolean {
  if (form !== 'canonical' || distinctness !== 'caseless') return false;
  if (heard.includes(' ') && isSureHyphen(term.canonical)) {
    return heard.toLowerCase().startsWith(term.canonical);
  }
  return !term.mishears.includes(heard.toLowerCase());
}

/** Whether a term's hyphen is wanted wherever its words occur together. */
const isSureHyphen = (canonical: string): boolean => {
  const parts = canonical.split('-');
  const words = canonical.split(/[\s-]+/);
  return parts.length > 1 && (words.length > 2 || !words.some(isFunctionWord));
};
