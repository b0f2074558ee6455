/**
 * Finds words that sound like a term, for review by a person or a language model. Similarity alone corrects nothing;
 * english-words.ts defines the additional evidence.
 *
 * Finds terms of several words of which one was misheard ("mcp knight", "model contacts protocol"). Because the words
 * that match are evidence, the word that differs may be less similar.
 */
import { UNSURE_BELOW } from '../../contract/confidence.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import type { ActiveTerm } from '../active-term.ts';
import { decide, type Draft } from './decide.ts';
import { type Match, contextOf, freePlaces, type FreePlaces } from '../match/findings.ts';
import type { Survey } from '../match/match.ts';
import { memoized } from '../match/memoized.ts';
import { compactKey, phraseKey, stemOf, tokenize } from '../match/normalize.ts';
import { replacementFor, spanIsBroken, surfaceText } from '../match/replace.ts';
import {
  indexSounds,
  maySoundAlike,
  MIN_LETTERS,
  type MostSimilar,
  mostSimilar,
  soundOf,
  similarityOf,
  type SoundIndex,
} from '../match/similarity.ts';
import { MAX_SURFACE_TOKENS } from '../match/surfaces.ts';
import { CONFIDENCE } from '../match/judge.ts';
import { isTrusted } from '../match/english-words.ts';
import { isTermSized } from '../../contract/terms.ts';
import { isFunctionWord, isOrdinaryWord } from '../match/ordinary-words.ts';

type TokenStream = Survey['stream'];

/** The least similarity of the word that differs, in a term of two words and of more. */
const MIN_PART_SIMILARITY = { two: 0.6, more: 0.5 } as const;

/** A term as a list of tokens, with the word that each token belongs to. */
interface Compound {
  term: ActiveTerm;
  tokens: string[];
  words: string[];
}

/** Compounds by each of their tokens, with the token's position. */
type CompoundIndex = Map<string, { compound: Compound; at: number }[]>;

/** A span of tokens that matches a term except for one token. */
interface SimilarCompound {
  term: ActiveTerm;
  first: number;
  last: number;
  /** The token that differs. */
  other: number;
  /** The word of the term that should replace it. */
  part: string;
  similarity: number;
}

/**
 * The most compounds that are tried for one word, best ranked first, since every term of a request may contain the
 * word.
 */
const MAX_COMPOUNDS = 64;

/** Indexes the terms of two to five tokens that have one token per word. */
function indexCompounds(terms: readonly ActiveTerm[]): CompoundIndex {
  const index: CompoundIndex = new Map();
  for (const term of terms) {
    if (!isTermSized(term.canonical)) continue;
    const tokens = tokenize(term.canonical);
    const words = term.canonical.split(/[\s-]+/);
    if (tokens.length < 2 || tokens.length > 5 || words.length !== tokens.length) continue;
    for (const [at, token] of tokens.entries()) {
      if (isFunctionWord(token)) continue;
      const entry = { compound: { term, tokens, words }, at };
      const known = index.get(token);
      if (known && known.length >= MAX_COMPOUNDS) continue;
      if (known) known.push(entry);
      else index.set(token, [entry]);
    }
  }
  return index;
}

const NONE: readonly SimilarCompound[] = [];

/** The most letters of a word that may be spelled out. */
const MAX_SPELLED = 5;

/**
 * Finds the compounds around a token that is the first of their matching words. A word may be spelled out ("streamible
 * h t t p"), which adds the same number of tokens to the phrase.
 */
function compoundsAt(
  index: CompoundIndex,
  stream: TokenStream,
  token: number,
): readonly SimilarCompound[] {
  const text = stream.tokens[token]!;
  if (text.length !== 1 && !index.has(text)) return NONE;
  // Of candidates that differ in the same word of the same span, only the most likely is kept.
  const found = new Map<string, SimilarCompound>();
  for (const [text, width] of readingsAt(stream, token)) {
    for (const { compound, at } of index.get(text) ?? []) {
      const near = compare(compound, stream, { at, token, width });
      // Finds each candidate only at its first matching word, which is the first word, or the second if the first is
      // wrong.
      if (!near || token !== (near.other === near.first ? near.first + 1 : near.first)) continue;
      const place = `${near.first} ${near.last} ${near.other}`;
      if (near.similarity > (found.get(place)?.similarity ?? 0)) found.set(place, near);
    }
  }
  return [...found.values()];
}

/**
 * The readings that begin at a token, with their lengths in tokens: the token itself, and the word that single letters
 * spell.
 */
function readingsAt({ tokens }: TokenStream, token: number): [text: string, width: number][] {
  const text = tokens[token]!;
  const readings: [string, number][] = [[text, 1]];
  if (text.length !== 1) return readings;
  let spelled = text;
  for (let width = 2; width <= MAX_SPELLED; width += 1) {
    const letter = tokens[token + width - 1] ?? '';
    if (letter.length !== 1) break;
    spelled += letter;
    readings.push([spelled, width]);
  }
  return readings;
}

/** A matched word of a compound: its position in the compound, and its tokens in the stream. */
interface FoundWord {
  at: number;
  token: number;
  width: number;
}

function compare(
  { term, tokens, words }: Compound,
  stream: TokenStream,
  found: FoundWord,
): SimilarCompound | null {
  const more = found.width - 1;
  const first = found.token - found.at;
  const last = first + tokens.length - 1 + more;
  if (first < 0 || last >= stream.tokens.length) return null;
  if (!stream.startsWord(first) || !stream.endsWord(last)) return null;
  const placeOf = (at: number): number => first + at + (at > found.at ? more : 0);
  let at: number | undefined;
  for (let index = 0; index < tokens.length; index += 1) {
    if (index === found.at || stream.tokens[placeOf(index)] === tokens[index]) continue;
    if (at !== undefined) return null;
    at = index;
  }
  if (at === undefined) return null;
  const heard = stream.tokens[placeOf(at)] ?? '';
  const wanted = tokens[at]!;
  if (isFunctionWord(heard) || heard.length < 3 || isInflection(heard, wanted)) return null;
  const similarity = similarityOf(heard, wanted);
  if (similarity < (tokens.length === 2 ? MIN_PART_SIMILARITY.two : MIN_PART_SIMILARITY.more))
    return null;
  return { term, first, last, other: placeOf(at), part: words[at] ?? '', similarity };
}

/**
 * Whether two words are inflections of one another, and so not mishears: "windows" and "window", "tuned" and "tuning".
 */
function isInflection(heard: string, wanted: string): boolean {
  const shorter = Math.min(heard.length, wanted.length);
  let shared = 0;
  while (shared < shorter && heard[shared] === wanted[shared]) shared += 1;
  return shared >= Math.max(3, shorter - 2);
}

/**
 * The least similarity of a candidate: of unknown words, of one ordinary word, and of several ordinary words. Less is
 * enough in context, which means close to a near word of the term or to another term of its packs.
 */
const MIN_SIMILARITY = {
  alone: { strange: 0.8, word: 0.95, phrase: 0.9 },
  inContext: { strange: 0.66, word: 0.84, phrase: 0.76 },
} as const;
/** A single word whose sound is at most this long has to be more similar: many words share it ("stdin", STN). */
const SHORT_SOUND = 3;
const SHORT_SURCHARGE = 0.06;
/** The fewest letters of a candidate without context. */
const MIN_LETTERS_ALONE = 4;
/** The most tokens of a candidate, not counting single letters ("jayson r p see"). */
const MAX_TOKENS = 3;
const LETTER = /^\p{L}$/u;
/** Words that name a letter if they follow a letter. */
const LETTER_NAMES: ReadonlyMap<string, string> = new Map(
  'be:b bee:b see:c sea:c dee:d gee:g eye:i jay:j kay:k oh:o pea:p pee:p cue:q queue:q are:r tea:t tee:t you:u ex:x why:y'
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, -2), pair.slice(-1)]),
);

/** Indexes that are built from the terms once for all transcripts. */
interface Indexes {
  index: SoundIndex;
  compounds: CompoundIndex;
  /** Compact forms that other rules have already judged. */
  known: ReadonlySet<string>;
  /** The tokens of risky surfaces, which need a near word. */
  risky: ReadonlySet<string>;
}

const indexesOf = memoized((terms: readonly ActiveTerm[]): Indexes => ({
  index: indexSounds(terms),
  compounds: indexCompounds(terms),
  known: new Set(terms.flatMap((term) => [term.canonical, ...term.aliases]).map(compactKey)),
  risky: new Set(terms.flatMap((term) => term.risky).map(phraseKey)),
}));

/**
 * Finds the candidates in a surveyed transcript, except in its matches and in words that edits have made. Takes nearly
 * linear time in the words, whatever the number of terms.
 */
export function findPhonetic(
  survey: Survey,
  terms: readonly ActiveTerm[],
  isEdited: (word: number) => boolean,
  minConfidence: number,
): Draft[] {
  if (terms.length === 0) return [];
  const { stream } = survey;
  const { words } = stream;
  const taken = freePlaces(words.length);
  for (const { firstWord, lastWord } of survey.matches) taken.take(firstWord, lastWord);
  for (const at of words.keys()) if (isEdited(at)) taken.take(at, at);
  for (const { first, last } of survey.right) taken.take(stream.wordOf(first), stream.wordOf(last));
  const sources: Sources = {
    ...indexesOf(terms),
    taken,
    tokenSounds: new Map(),
    mostSimilar: new Map(),
    survey,
    inContext: (term, first, last) =>
      survey.nearWord(term, first, last) !== null ||
      contextOf(term, first, last, survey.sightings) !== null,
  };
  const { compounds } = sources;
  const candidates: Candidate[] = [];
  for (let first = 0; first < stream.tokens.length; first += 1) {
    if (stream.startsWord(first)) candidates.push(...candidatesAt(first, stream, sources));
    for (const compound of compoundsAt(compounds, stream, first)) {
      const made = fromCompound(stream, compound, sources);
      if (made) candidates.push(made);
    }
  }
  return decide(words, resolve(words, candidates, taken), minConfidence);
}

interface Sources extends Indexes {
  /** The words that another edit covers, or that are already right. */
  taken: FreePlaces;
  /** A cache of the facts about each token, because speech repeats itself. */
  tokenSounds: Map<string, TokenSound>;
  /** A cache of the most similar term for a span, by its kind and tokens. */
  mostSimilar: Map<string, MostSimilar | null>;
  survey: Survey;
  /** Whether a near word of a term, or a certain term of its packs, is close to a span of tokens. */
  inContext(term: ActiveTerm, first: number, last: number): boolean;
}

function candidatesAt(first: number, stream: TokenStream, sources: Sources): Candidate[] {
  const { known, risky, taken, inContext } = sources;
  const found: Candidate[] = [];
  let spelling = '';
  let sound = '';
  let ordinary = true;
  /** The words of the span that are not function words. */
  const names: string[] = [];
  let most = MAX_TOKENS;
  /** Whether the token before is a letter, and whether a word of the span names one. */
  let spells = false;
  let named = false;
  for (let last = first; last < Math.min(first + most, stream.tokens.length); last += 1) {
    const said = stream.tokens[last] ?? '';
    const token: string = (spells && LETTER_NAMES.get(said)) || said;
    named ||= token !== said;
    spells = LETTER.test(token);
    if (spells && most < MAX_SURFACE_TOKENS) most += 1;
    if (!taken.isFree(stream.wordOf(last))) break;
    const heard = tokenSound(token, sources.tokenSounds);
    spelling += token;
    sound += heard.sound;
    ordinary &&= heard.isOrdinary;
    if (!heard.isFunction) names.push(token);
    if (names.length === 0 || spelling.length < MIN_LETTERS || !stream.endsWord(last)) continue;
    const kind = !ordinary ? 'strange' : last === first ? 'word' : 'phrase';
    const best = mostSimilarOf({ spelling, sound, kind }, sources);
    if (!best) continue;
    if (!named && (known.has(spelling) || known.has(spelling.replace(/'?s$/, '')))) continue;
    if (isRisky(risky, stream.tokens.slice(first, last + 1).join(' '))) continue;
    if (isFormOfPart(names, best.term)) continue;
    if (isNever(best.term, stream, first, last)) continue;
    const accompanied = inContext(best.term, first, last);
    const surcharge = best.sound.length <= SHORT_SOUND ? SHORT_SURCHARGE : 0;
    const least = mayStandAlone(spelling, names, kind)
      ? MIN_SIMILARITY.alone[kind] + surcharge
      : EXACT;
    const unsure = kind === 'strange' && isUnsure(stream, first, last);
    if (accompanied || unsure || best.similarity >= least) {
      found.push(candidate(stream, { first, last, accompanied, ...best }, sources.survey));
    }
  }
  return found;
}

/** The most spans in that cache. */
const MAX_KEPT = 20_000;

function mostSimilarOf(
  {
    spelling,
    sound,
    kind,
  }: Pick<TokenSound, 'sound'> & {
    spelling: string;
    kind: keyof typeof MIN_SIMILARITY.inContext;
  },
  { index, mostSimilar: kept }: Sources,
): MostSimilar | null {
  if (!maySoundAlike(index, sound)) return null;
  const key = `${kind} ${sound} ${spelling}`;
  let best = kept.get(key);
  if (best === undefined) {
    best = mostSimilar(index, spelling, sound, MIN_SIMILARITY.inContext[kind]);
    if (kept.size < MAX_KEPT) kept.set(key, best);
  }
  return best;
}

const isRisky = (risky: ReadonlySet<string>, key: string): boolean =>
  risky.has(key) || risky.has(key.replace(/'?s$/, ''));

/** Whether every word of a span was recognised with low confidence. */
function isUnsure({ words, wordOf }: TokenStream, first: number, last: number): boolean {
  for (let at = wordOf(first); at <= wordOf(last); at += 1) {
    if ((words[at]!.confidence ?? 1) >= UNSURE_BELOW) return false;
  }
  return true;
}

/** A similarity that no candidate reaches, since words spelled like the term are not candidates. */
const EXACT = 1;

/**
 * Whether a candidate needs no context. An ordinary word next to a function word does, because speech is full of them
 * ("work is", "open a").
 */
const mayStandAlone = (
  spelling: string,
  names: readonly string[],
  kind: keyof typeof MIN_SIMILARITY.alone,
): boolean => spelling.length >= MIN_LETTERS_ALONE && !(kind === 'phrase' && names.length === 1);

/**
 * Whether a word is a form of a part of the term: "works" is one of the "work" in WorkOS, so neither "works" nor "works
 * on" is a mishear of WorkOS.
 */
function isFormOfPart([name, ...more]: readonly string[], { canonical }: ActiveTerm): boolean {
  const stem = name === undefined || more.length > 0 ? undefined : stemOf(name)?.stem;
  return stem !== undefined && isOrdinaryWord(stem) && compactKey(canonical).startsWith(stem);
}

/** Whether people have ruled out that these words are the term. */
const isNever = (term: ActiveTerm, { tokens }: TokenStream, first: number, last: number): boolean =>
  term.never?.includes(tokens.slice(first, last + 1).join(' ')) ?? false;

/**
 * The match for a phrase that equals a term except for one word: the whole phrase or, if its other words are already
 * covered, only that word.
 */
function fromCompound(
  stream: TokenStream,
  { term, first, last, other, part, similarity }: SimilarCompound,
  sources: Sources,
): Candidate | null {
  const { taken } = sources;
  const [firstWord, lastWord] = [stream.wordOf(first), stream.wordOf(last)];
  if (spanIsBroken(stream.words, firstWord, lastWord)) return null;
  if (isNever(term, stream, first, last) || isNever(term, stream, other, other)) return null;
  const like = { term, similarity, rival: 0, sound: part, accompanied: true };
  if (taken.isFree(firstWord, lastWord)) {
    return candidate(stream, { ...like, first, last }, sources.survey);
  }
  if (!stream.startsWord(other) || !stream.endsWord(other)) return null;
  return candidate(stream, { ...like, first: other, last: other, part }, sources.survey);
}

/** Selects the most likely candidates that do not overlap. */
function resolve(
  words: readonly TranscriptWord[],
  candidates: Candidate[],
  taken: FreePlaces,
): Match[] {
  const kept: Match[] = [];
  candidates.sort((a, b) => b.similarity - a.similarity || a.firstWord - b.firstWord);
  for (const { similarity: _, ...match } of candidates) {
    const { firstWord, lastWord } = match;
    if (!taken.isFree(firstWord, lastWord)) continue;
    if (spanIsBroken(words, firstWord, lastWord)) continue;
    taken.take(firstWord, lastWord);
    kept.push(match);
  }
  return kept.sort((a, b) => a.firstWord - b.firstWord);
}

/** The sound of a token, and whether it is an ordinary word or a function word. */
interface TokenSound {
  sound: string;
  /** Whether it is an ordinary word; function words are. */
  isOrdinary: boolean;
  isFunction: boolean;
}

/** Looks up a token's sound in a cache, because speech repeats itself; computes and adds it if it is missing. */
function tokenSound(token: string, cache: Map<string, TokenSound>): TokenSound {
  let found = cache.get(token);
  if (!found) {
    const isFunction = isFunctionWord(token);
    const isOrdinary = isFunction || isOrdinaryWord(token);
    found = { sound: soundOf(token, new Map()), isOrdinary, isFunction };
    cache.set(token, found);
  }
  return found;
}

/** A match that sounds like its term, with its similarity, 0..1. */
type Candidate = Match & { similarity: number };

/** The highest confidence from similarity alone; with default settings such a match is only shown for review. */
const MAX_CONFIDENCE = 0.8;
const MIN_CONFIDENCE = 0.6;

/** A span of tokens that sounds like a term. */
interface Similarity {
  first: number;
  last: number;
  term: ActiveTerm;
  similarity: number;
  /** The similarity to the next best term. */
  rival: number;
  sound: string;
  accompanied: boolean;
  /** The part of the term that replaces the span; by default all of it. */
  part?: string;
}

/**
 * Builds the match for a span that sounds like a term. It is corrected if the similarity is trusted, and otherwise
 * shown for review.
 */
function candidate(
  stream: TokenStream,
  { first, last, term, similarity, rival, sound, accompanied, part }: Similarity,
  { clear, english }: Pick<Survey, 'clear' | 'english'>,
): Candidate {
  const { words } = stream;
  const firstWord = stream.wordOf(first);
  const lastWord = stream.wordOf(last);
  const surface = surfaceText(words, firstWord, lastWord);
  const suffix = /['’]s$/i.test(surface) ? "'s" : '';
  // A word that is not English may belong to another language.
  const trusted =
    english &&
    isTrusted({
      words: words.slice(firstWord, lastWord + 1),
      term: compactKey(part ?? term.canonical),
      similarity,
      rival,
      sound,
      near: accompanied,
      clear: clear.has(term),
    });
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
    ...(trusted
      ? { evidence: 'sound', confidence: CONFIDENCE.sound }
      : { evidence: 'phonetic', confidence: similarityAlone(similarity, accompanied) }),
    reason: `"${surface}" sounds like ${part === undefined ? '' : `${part} of `}${term.canonical}.`,
    similarity,
    ...(part === undefined ? {} : { part: true }),
  };
}

const similarityAlone = (similarity: number, accompanied: boolean): number =>
  hundredths(
    Math.max(MIN_CONFIDENCE, Math.min(MAX_CONFIDENCE, similarity - (accompanied ? 0.06 : 0.2))),
  );

const hundredths = (value: number): number => Math.round(value * 100) / 100;
