/**
 * Finds the names that were given for this very talk where they were misheard: decides for each of them on the talk as a
 * whole, and then on each place.
 */
import { distance } from 'fastest-levenshtein';
import { type Match, freePlaces } from '../match/findings.ts';
import type { Survey } from '../match/match.ts';
import { memoized } from '../match/memoized.ts';
import { replacementFor, surfaceText } from '../match/replace.ts';
import {
  type Alike,
  type Group,
  groupsIn,
  indexNames,
  type NameIndex,
  type Place,
} from '../names/candidates.ts';
import {
  type Evidence,
  evidenceFor,
  scoreOf,
  shareAddressed,
  type Talk,
  talkOf,
} from '../names/evidence.ts';
import { formsOf, type NameForm } from '../names/forms.ts';
import { ordinariness, STRANGE } from '../names/ordinariness.ts';
import { listedSound } from '../sound/pronounce.ts';
import type { ActiveTerm } from '../active-term.ts';
import { decide, type Draft } from './decide.ts';

const indexOf = memoized((terms: readonly ActiveTerm[]) => indexNames(formsOf(terms)));

/** The scores from which a name is written, and from which it is offered. */
const LEAST = { written: 2.3, offered: 1.1 } as const;

/** Acronyms that sound further apart are different ones. */
const NEARLY_THE_SAME = 0.05;

/** A name at a place, with its score. */
interface Candidate {
  group: Group;
  alike: Alike;
  place: Place;
  score: number;
  /** Whether the name is only offered, whatever its score. */
  isOpen: boolean;
  /** Whether what was heard is a name of this talk itself. */
  isGiven: boolean;
}

const isWritten = ({ score, isOpen }: Candidate): boolean => score >= LEAST.written && !isOpen;

/** Finds misheard names in a surveyed transcript, except in words that edits have made. */
export function findNames(
  survey: Survey,
  terms: readonly ActiveTerm[],
  isEdited: (word: number) => boolean,
  minConfidence: number,
): Draft[] {
  const index = indexOf(terms);
  if (index.longest === 0) return [];
  const { stream } = survey;
  const { words } = stream;
  const taken = freePlaces(words.length);
  for (const at of words.keys()) if (isEdited(at)) taken.take(at, at);
  const talk = talkOf(stream, index);
  const candidates: Candidate[] = [];
  for (const group of groupsIn(stream, index, (word) => taken.isFree(word))) {
    const key = group.tokens.join(' ');
    const isGiven = index.byKey.has(key);
    for (const alike of group.alike) {
      if (alike.form.term.never?.includes(key)) continue;
      const isMistyped = mayBeMistyped(talk, group, alike);
      const inName = isGiven ? partOfGiven(talk, group) : [];
      const isBacked = isBackedMore(index, group, alike);
      const isAtLeastOffered = isBacked || isHomophone(talk, group, alike);
      for (const [at, evidence] of evidenceFor(talk, group, alike).entries()) {
        const isBeside = evidence['beside strange words'] + evidence['beside ordinary words'] >= 1;
        const score = Math.max(scoreOf(evidence), isAtLeastOffered ? LEAST.offered : -Infinity);
        if (score < LEAST.offered || (isGiven && !isBeside && !isBacked)) continue;
        if (inName[at]) continue;
        const acronym = acronymFor(evidence, alike);
        if (acronym === 'no') continue;
        // Words that are given too, other acronyms, or common words once in a row: only a person can say what was meant.
        const isOpen =
          isGiven ||
          isMistyped ||
          (evidence['part of another name'] === 1 && !isBeside && !hasOwnWord(group, alike)) ||
          acronym === 'perhaps' ||
          (alike.form.isAcronym && key.startsWith(alike.form.key)) ||
          (evidence.joined === 1 &&
            evidence['common words'] === 1 &&
            evidence['name said'] === 0 &&
            group.places.length === 1);
        candidates.push({ group, alike, place: group.places[at]!, score, isOpen, isGiven });
      }
    }
  }
  if (hasNothingToDoWith(talk, candidates)) for (const one of candidates) one.isOpen = true;
  candidates.sort(
    (a, b) =>
      Number(isWritten(b)) - Number(isWritten(a)) ||
      b.score - a.score ||
      a.place.first - b.place.first,
  );
  const matches: Match[] = [];
  for (const candidate of candidates) {
    const match = matchOf(survey, talk, candidate);
    if (!match || !taken.isFree(match.firstWord, match.lastWord)) continue;
    taken.take(match.firstWord, match.lastWord);
    matches.push(match);
  }
  matches.sort((a, b) => a.firstWord - b.firstWord);
  return decide(words, matches, minConfidence);
}

/** Of so many names, some are heard right or nearly right if they belong to the talk. */
const MANY_NAMES = 10;
const FEW_SAID = 3;

/**
 * Whether a name may have been given with a typing error: what was heard is a known word, and the name has another in its
 * place that no dictionary has, that differs in one letter, or in the order of two, and that neither the talk nor another
 * given name has.
 */
function mayBeMistyped({ counts, index }: Talk, { tokens }: Group, { form }: Alike): boolean {
  if (tokens.length !== form.tokens.length) return false;
  const others = tokens.flatMap((token, at) => {
    const given = form.tokens[at]!;
    return token === given ? [] : [[token, given] as const];
  });
  const [token, given] = others[0] ?? [];
  if (others.length !== 1 || token === undefined || given === undefined) return false;
  if (counts.has(given) || (index.byKey.get(given)?.length ?? 0) > 1) return false;
  return token.length >= MIN_TYPED && isKnown(token) && !isKnown(given) && isOneSlip(token, given);
}

/** Shorter names differ from known words in one letter too often. */
const MIN_TYPED = 4;
const isKnown = (token: string): boolean => !isUnheardOf(token);

/** Whether one letter was left out, put in, replaced, or exchanged with the next one. */
const isOneSlip = (a: string, b: string): boolean =>
  distance(a, b) === 1 || (a.length === b.length && distance(a, b) === 2 && isExchanged(a, b));

function isExchanged(a: string, b: string): boolean {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Whether many names were given of which the talk has hardly one, so that what sounds like them does so by chance. */
function hasNothingToDoWith({ counts, index }: Talk, candidates: readonly Candidate[]): boolean {
  const names = new Set<string>();
  const said = new Set<string>();
  for (const [key, forms] of index.byKey) {
    for (const form of forms) {
      names.add(form.name);
      if (counts.has(key) && isWhole(form) && isTelling(form)) said.add(form.name);
    }
  }
  for (const candidate of candidates) {
    const { alike, group } = candidate;
    if (isWritten(candidate) && !alike.form.isAcronym && group.tokens.every(isUnheardOf))
      said.add(alike.form.name);
  }
  return names.size >= MANY_NAMES && said.size < FEW_SAID;
}

const isWhole = ({ before, after }: NameForm): boolean => before.length + after.length === 0;

/** Whether a word is in no list and in no dictionary. */
const isUnheardOf = (token: string): boolean =>
  ordinariness(token) === STRANGE && listedSound(token) === undefined;

/** Whether a name says what a talk is about: others, as GAAP or John, are in every second talk. */
const isTelling = ({ tokens, isAcronym, ordinary }: NameForm): boolean =>
  tokens.length > 1 ? ordinary === STRANGE : !isAcronym && isUnheardOf(tokens[0]!);

/** Names that are both given sound as much alike as this, if one of them may be the other. */
const ALIKE = 0.1;

/**
 * Whether what was heard is given too, but in fewer names than what it sounds like: of Monroe Forward, Monro Inc and Monro
 * University, the first is probably a slip.
 */
function isBackedMore({ byKey }: NameIndex, { tokens }: Group, { form, distance }: Alike): boolean {
  const namesWith = (key: string): number => byKey.get(key)?.length ?? 0;
  const heard = tokens.join(' ');
  if (distance >= ALIKE || !byKey.has(heard)) return false;
  if (tokens.length !== form.tokens.length) return namesWith(form.key) > namesWith(heard);
  return tokens.every((token, at) => {
    const wanted = form.tokens[at]!;
    return token === wanted || namesWith(wanted) > namesWith(token);
  });
}

/** A known name is a person's from this share of places on in which a person is introduced, greeted or thanked. */
const MOSTLY_ADDRESSED = 0.2;

/**
 * Whether what was heard sounds exactly like the name and is no English word, and no known name either, unless people are
 * addressed with it: "Colombia" beside Columbia is a country.
 */
function isHomophone(talk: Talk, group: Group, { form, distance }: Alike): boolean {
  if (distance > 0 || form.isAcronym || !group.tokens.every((one) => ordinariness(one) === STRANGE))
    return false;
  const isKnown = group.tokens.every((one) => listedSound(one) !== undefined);
  return !isKnown || shareAddressed(talk, group) >= MOSTLY_ADDRESSED;
}

/** For each place, whether the words around it complete a name that is given: then it is right. */
function partOfGiven({ stream, index }: Talk, { places }: Group): boolean[] {
  return places.map(({ first, last }) => {
    for (let from = first; from > Math.max(-1, first - MAX_AROUND); from -= 1) {
      for (let to = last; to < last + MAX_AROUND; to += 1) {
        if (from === first && to === last) continue;
        if (index.byKey.get(stream.tokens.slice(from, to + 1).join(' '))) return true;
      }
    }
    return false;
  });
}

/** The most words of a name around a part of it. */
const MAX_AROUND = 3;

/** Whether what was heard may be an acronym: other acronyms, and ordinary words, sound like one by chance. */
function acronymFor(evidence: Evidence, { form, distance }: Alike): 'yes' | 'perhaps' | 'no' {
  if (!form.isAcronym) return 'yes';
  if (evidence['ordinary words said'] === 0 || evidence.grammar === 1) {
    return distance > NEARLY_THE_SAME ? 'perhaps' : 'yes';
  }
  if (distance > NEARLY_THE_SAME) return 'no';
  return distance > 0 ? 'perhaps' : 'yes';
}

/** Whether one of the heard words is a word of the name. */
const hasOwnWord = ({ tokens }: Group, { form }: Alike): boolean =>
  tokens.some((token) => form.tokens.includes(token));

/** The confidence in a name that is written, and in one that is offered: at most this, and at least that. */
const CONFIDENCE = { written: [0.95, 0.86], offered: [0.8, 0.6] } as const;

function matchOf(
  { stream: { words, wordOf } }: Survey,
  { counts }: Talk,
  candidate: Candidate,
): Match | null {
  const {
    alike: { form, distance: apart },
    group,
    place,
    score,
  } = candidate;
  const [firstWord, lastWord] = [wordOf(place.first), wordOf(place.last)];
  const surface = surfaceText(words, firstWord, lastWord);
  const { text, replacement } = replacementFor(words, {
    firstWord,
    lastWord,
    canonical: form.text,
    suffix: place.suffix,
    head: '',
    tail: '',
  });
  if (text === replacement) return null;
  const kind = isWritten(candidate) ? 'written' : 'offered';
  const [most, least] = CONFIDENCE[kind];
  const odds = Math.round(100 / (1 + Math.exp(-score))) / 100;
  return {
    firstWord,
    lastWord,
    term: form.term,
    surface,
    replacement,
    evidence: kind === 'written' ? 'name' : 'phonetic',
    confidence: Math.min(most, Math.max(least, odds)),
    talk: {
      name: form.name,
      alike: Math.round(100 * (1 - apart)) / 100,
      heard: group.places.length,
      said: counts.get(form.key) ?? 0,
    },
    ...(candidate.isGiven ? { heardIsGiven: true as const } : {}),
    reason: `"${surface}" sounds like ${form.text === form.name ? '' : `${form.text} of `}${form.name}, which was given for this talk.`,
  };
}
