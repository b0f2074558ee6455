/**
 * Finds words that sound like a term, for review by a person or a language model; likeness alone
 * never corrects anything.
 */
import type { TranscriptWord } from '../contract/transcript.ts';
import { contextOf } from './context.ts';
import type { ActiveTerm } from './compile.ts';
import { compoundsAt, indexCompounds, type CompoundIndex, type NearCompound } from './compounds.ts';
import { decide, type Draft } from './decide.ts';
import type { Match, Survey } from './match.ts';
import { memoized } from './memoized.ts';
import { compactKey, stemOf } from './normalize.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { replacementFor, spanIsBroken, surfaceText } from './replace.ts';
import { indexSounds, likest, MIN_LETTERS, soundOf, type SoundIndex } from './sounds.ts';
import { placesOf, type Taken } from './taken.ts';
import type { TokenStream } from './tokens.ts';

/**
 * Least likeness of a candidate: of unknown words, of one ordinary word, of several ordinary words.
 * Less is enough in context, that is near a near word of the term or another term of its packs.
 */
const MIN_LIKENESS = {
  alone: { strange: 0.8, word: 0.95, phrase: 0.9 },
  inContext: { strange: 0.66, word: 0.84, phrase: 0.76 },
} as const;
/**
 * Many words share a sound of at most three codes ("stdin", STN), so alone it needs more likeness.
 */
const SHORT_SOUND = 3;
const SHORT_SURCHARGE = 0.06;
/** Fewest letters of a candidate without context. */
const MIN_LETTERS_ALONE = 4;
/** Most tokens of a candidate. */
const MAX_TOKENS = 3;

/** Indexes built from the terms once, for all transcripts. */
interface Indexes {
  index: SoundIndex;
  compounds: CompoundIndex;
  /**
   * Compact forms that other rules have already judged, such as risky surfaces by their near words.
   */
  known: ReadonlySet<string>;
}

const indexesOf = memoized((terms: readonly ActiveTerm[]): Indexes => ({
  index: indexSounds(terms),
  compounds: indexCompounds(terms),
  known: new Set(
    terms.flatMap((term) => [term.canonical, ...term.aliases, ...term.risky]).map(compactKey),
  ),
}));

/**
 * Finds the candidates of a transcript outside the words that `settled` covers. Takes about linear
 * time in the words, whatever the number of terms.
 */
export function findPhonetic(
  survey: Survey,
  terms: readonly ActiveTerm[],
  settled: readonly Draft[],
  minConfidence: number,
): Draft[] {
  const { stream } = survey;
  const { words } = stream;
  const taken = placesOf(words.length);
  for (const { correction } of settled) taken.take(correction.firstWord, correction.lastWord);
  for (const { first, last } of survey.right) taken.take(stream.wordOf(first), stream.wordOf(last));
  const sources: Sources = {
    ...indexesOf(terms),
    taken,
    sounds: new Map(),
    inContext: (term, first, last) =>
      survey.nearWord(term, first, last) !== null ||
      contextOf(term, first, last, survey.sightings) !== null,
  };
  const { compounds } = sources;
  const candidates: Candidate[] = [];
  for (let first = 0; first < stream.tokens.length; first += 1) {
    if (stream.startsWord(first)) candidates.push(...candidatesAt(first, stream, sources));
    for (const compound of compoundsAt(compounds, stream, first)) {
      const made = fromCompound(stream, compound, taken);
      if (made) candidates.push(made);
    }
  }
  return decide(words, resolve(words, candidates, taken), minConfidence);
}

type Candidate = Match & { likeness: number };

interface Sources extends Indexes {
  /** Words covered by another edit, or already right. */
  taken: Taken;
  /** Cache of the tokens' sounds. */
  sounds: Map<string, string>;
  /** Whether a near word of a term, or a certain term of its packs, is close to a span of tokens. */
  inContext(term: ActiveTerm, first: number, last: number): boolean;
}

function candidatesAt(first: number, stream: TokenStream, sources: Sources): Candidate[] {
  const { index, known, taken, sounds, inContext } = sources;
  const found: Candidate[] = [];
  let spelling = '';
  let sound = '';
  let ordinary = true;
  /** The words of the span other than function words. */
  const names: string[] = [];
  for (let last = first; last < Math.min(first + MAX_TOKENS, stream.tokens.length); last += 1) {
    const token = stream.tokens[last] ?? '';
    if (!taken.isFree(stream.wordOf(last))) break;
    spelling += token;
    sound += soundOf(token, sounds);
    ordinary &&= isOrdinaryWord(token) || isFunctionWord(token);
    if (!isFunctionWord(token)) names.push(token);
    if (names.length === 0 || spelling.length < MIN_LETTERS || !stream.endsWord(last)) continue;
    if (known.has(spelling) || known.has(spelling.replace(/'?s$/, ''))) continue;
    const kind = !ordinary ? 'strange' : last === first ? 'word' : 'phrase';
    const best = likest(index, spelling, sound, MIN_LIKENESS.inContext[kind]);
    if (!best || isFormOfPart(names, best.term)) continue;
    if (isNever(best.term, stream, first, last)) continue;
    const accompanied = inContext(best.term, first, last);
    const surcharge = best.sound.length <= SHORT_SOUND ? SHORT_SURCHARGE : 0;
    const least = mayStandAlone(spelling, names, kind)
      ? MIN_LIKENESS.alone[kind] + surcharge
      : EXACT;
    if (accompanied || best.likeness >= least) {
      found.push(candidate(stream, { first, last, accompanied, ...best }));
    }
  }
  return found;
}

/** A likeness no candidate reaches: words spelled like the term are not candidates. */
const EXACT = 1;

/**
 * Speech is full of an ordinary word beside a function word ("work is", "open a"), so these need
 * context.
 */
const mayStandAlone = (
  spelling: string,
  names: readonly string[],
  kind: keyof typeof MIN_LIKENESS.alone,
): boolean => spelling.length >= MIN_LETTERS_ALONE && !(kind === 'phrase' && names.length === 1);

/** "works" is a form of the "work" in WorkOS; neither it nor "works on" is a mishear of WorkOS. */
function isFormOfPart([name, ...more]: readonly string[], { canonical }: ActiveTerm): boolean {
  const stem = name === undefined || more.length > 0 ? undefined : stemOf(name)?.stem;
  return stem !== undefined && isOrdinaryWord(stem) && compactKey(canonical).startsWith(stem);
}

/** Highest confidence: with default settings a sound-alike is shown for review, never corrected. */
/** Whether people said that these words are never the term. */
const isNever = (term: ActiveTerm, { tokens }: TokenStream, first: number, last: number): boolean =>
  term.never?.includes(tokens.slice(first, last + 1).join(' ')) ?? false;

const MOST_CONFIDENCE = 0.8;
const LEAST_CONFIDENCE = 0.6;

interface Likeness {
  first: number;
  last: number;
  term: ActiveTerm;
  likeness: number;
  accompanied: boolean;
  /** The part of the term that replaces the span (default: all of it). */
  part?: string;
}

/**
 * A phrase that matches a term except for one word: the whole phrase or, if its other words are
 * already covered, that word.
 */
function fromCompound(
  stream: TokenStream,
  { term, first, last, other, part, likeness }: NearCompound,
  taken: Taken,
): Candidate | null {
  const [firstWord, lastWord] = [stream.wordOf(first), stream.wordOf(last)];
  if (spanIsBroken(stream.words, firstWord, lastWord)) return null;
  if (isNever(term, stream, first, last) || isNever(term, stream, other, other)) return null;
  const like = { term, likeness, accompanied: true };
  if (taken.isFree(firstWord, lastWord)) return candidate(stream, { ...like, first, last });
  if (!stream.startsWord(other) || !stream.endsWord(other)) return null;
  return candidate(stream, { ...like, first: other, last: other, part });
}

function candidate(
  stream: TokenStream,
  { first, last, term, likeness, accompanied, part }: Likeness,
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
    replacement: replacementFor(words, {
      firstWord,
      lastWord,
      canonical: part ?? term.canonical,
      suffix,
      head: '',
      tail: '',
    }).replacement,
    evidence: 'phonetic',
    confidence: hundredths(
      Math.max(LEAST_CONFIDENCE, Math.min(MOST_CONFIDENCE, likeness - (accompanied ? 0.06 : 0.2))),
    ),
    reason: `"${surface}" sounds like ${part === undefined ? '' : `${part} of `}${term.canonical}.`,
    likeness,
    ...(part === undefined ? {} : { part: true }),
  };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Selects the likeliest candidates that do not overlap. */
function resolve(words: readonly TranscriptWord[], candidates: Candidate[], taken: Taken): Match[] {
  const kept: Match[] = [];
  candidates.sort((a, b) => b.likeness - a.likeness || a.firstWord - b.firstWord);
  for (const { likeness: _, ...match } of candidates) {
    const { firstWord, lastWord } = match;
    if (!taken.isFree(firstWord, lastWord)) continue;
    if (spanIsBroken(words, firstWord, lastWord)) continue;
    taken.take(firstWord, lastWord);
    kept.push(match);
  }
  return kept.sort((a, b) => a.firstWord - b.firstWord);
}
