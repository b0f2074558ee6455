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
  mayStayDivided,
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
import { type Belonging, belongingOf } from '../names/belonging.ts';
import { formsOf } from '../names/forms.ts';
import { ordinariness, STRANGE } from '../names/ordinariness.ts';
import { isListed } from '../sound/pronounce.ts';
import type { ActiveTerm } from '../active-term.ts';
import { decide, type Draft } from './decide.ts';

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The index of the names among terms that were given for a talk. */
export const nameIndexOf = memoized((terms: readonly ActiveTerm[]) => indexNames(formsOf(terms)));

/**
 * The scores from which a name is written, and from which it is offered, by how close the names are to the talk: where
 * hardly any others were given, less is a coincidence. In place of what may be another name, it needs more to be written;
 * a name that is misheard elsewhere in the talk needs less to be offered.
 */
const LEAST = {
  mixed: { overAnother: 2.3, written: 1.6, offered: 1.1, again: 0.5 },
  own: { overAnother: 2.3, written: 1.2, offered: 0.8, again: 0.5 },
  strange: { overAnother: Infinity, written: Infinity, offered: 1.1, again: Infinity },
} as const satisfies Record<Belonging, object>;

type Least = (typeof LEAST)[Belonging];

/** Acronyms that sound further apart are different ones. */
const NEARLY_THE_SAME = 0.05;

/** A name at a place, with its score. */
interface Candidate {
  group: Group;
  alike: Alike;
  place: Place;
  score: number;
  /** Whether what was heard may be another name. */
  isAnother: boolean;
  /** Whether the name is only offered, whatever its score. */
  isOpen: boolean;
  /** Whether what was heard is a name of this talk itself. */
  isGiven: boolean;
}

const isWritten = ({ score, isAnother, isOpen }: Candidate, least: Least): boolean =>
  score >= (isAnother ? least.overAnother : least.written) && !isOpen;

/** Finds misheard names in a surveyed transcript, except in words that edits have made. */
export function findNames(
  survey: Survey,
  terms: readonly ActiveTerm[],
  isEdited: (word: number) => boolean,
  minConfidence: number,
): Draft[] {
  const index = nameIndexOf(terms);
  if (index.longest === 0) return [];
  const { stream } = survey;
  const { words } = stream;
  const taken = freePlaces(words.length);
  for (const at of words.keys()) if (isEdited(at)) taken.take(at, at);
  const talk = talkOf(stream, index);
  const candidates: Candidate[] = [];
  const groups = groupsIn(stream, index, (word) => taken.isFree(word));
  const mistyped = new Set(mistypedTokens(talk, groups, isEdited));
  for (const group of groups) {
    const key = group.tokens.join(' ');
    const isGiven = index.byKey.has(key);
    for (const alike of group.alike) {
      if (alike.form.term.never?.includes(key)) continue;
      const isMistyped = alike.form.tokens.some((token) => mistyped.has(token));
      const isBacked = isBackedMore(index, group, alike);
      const isMeant = isBacked && isOnlyPart(talk, group, alike);
      const least = leastScore(talk, group, alike, { isBacked, isMeant });
      for (const [at, evidence] of evidenceFor(talk, group, alike).entries()) {
        const isBeside = evidence['beside strange words'] + evidence['beside ordinary words'] >= 1;
        const score = Math.max(scoreOf(evidence), least);
        if (score < LEAST.mixed.again || (isGiven && !isBeside && !isBacked)) continue;
        if (isInName(talk, group.places[at]!)) continue;
        const acronym = acronymFor(evidence, alike);
        if (acronym === 'no') continue;
        // Words that are given too, other acronyms, or common words once in a row: only a person can say what was meant.
        const isOpen =
          (isGiven && !isMeant) ||
          isCountry(group) ||
          isMistyped ||
          mayStayDivided(index, group.tokens, alike.form.text) ||
          (evidence['part of another name'] === 1 &&
            !isBeside &&
            !isMeant &&
            !hasOwnWord(group, alike)) ||
          acronym === 'perhaps' ||
          (alike.form.isAcronym && key.startsWith(alike.form.key)) ||
          (evidence.joined === 1 &&
            evidence['common words'] === 1 &&
            evidence['a name in no dictionary'] === 0 &&
            evidence['name said'] === 0 &&
            group.places.length === 1);
        const place = group.places[at]!;
        const isAnother = mayBeAnother(evidence, group, alike);
        candidates.push({ group, alike, place, score, isAnother, isOpen, isGiven });
      }
    }
  }
  const limits = LEAST[belongingOf(talk, certainNames(candidates))];
  const written = new Set(candidates.filter((one) => isWritten(one, limits)));
  const misheard = new Set([...written].map(({ alike }) => alike.form.key));
  const ranked = candidates.filter(
    ({ score, alike: { form } }) =>
      score >= limits.offered ||
      (score >= limits.again && !form.isAcronym && misheard.has(form.key)),
  );
  ranked.sort(
    (a, b) =>
      Number(written.has(b)) - Number(written.has(a)) ||
      b.score - a.score ||
      a.place.first - b.place.first,
  );
  const matches: Match[] = [];
  for (const candidate of ranked) {
    const match = matchOf(survey, talk, candidate, written.has(candidate));
    if (!match || !taken.isFree(match.firstWord, match.lastWord)) continue;
    taken.take(match.firstWord, match.lastWord);
    matches.push(match);
  }
  matches.sort((a, b) => a.firstWord - b.firstWord);
  return decide(words, matches, minConfidence);
}

/**
 * The words of names that may have been given with a typing error: no dictionary has them, and what the talk has instead
 * is a known word that differs in one letter, or any word that differs in the order of two, since two letters that were
 * exchanged are no mishearing. What the talk has as it was given is no error.
 */
function* mistypedTokens(
  { stream, counts, index }: Talk,
  groups: readonly Group[],
  isEdited: (word: number) => boolean,
): Generator<string> {
  const isHeard = (given: string): boolean =>
    counts.has(given) &&
    stream.tokens.some((token, at) => token === given && !isEdited(stream.wordOf(at)));
  for (const { tokens, alike } of groups) {
    for (const { form } of alike) {
      if (tokens.length !== form.tokens.length) continue;
      const others = form.tokens.flatMap((given, at) => (tokens[at] === given ? [] : [at]));
      const [at] = others;
      if (others.length !== 1 || at === undefined) continue;
      const [token, given] = [tokens[at]!, form.tokens[at]!];
      if (token.length < MIN_TYPED || isKnown(given)) continue;
      const isSlip = isKnown(token) ? isOneSlip(token, given) : isExchanged(token, given);
      if (!isSlip || (index.byKey.get(given)?.length ?? 0) > 1) continue;
      if (!isHeard(given)) yield given;
    }
  }
}

/** Shorter names differ from known words in one letter too often. */
const MIN_TYPED = 4;
const isKnown = (token: string): boolean => !isUnheardOf(token);

/** Whether one letter was left out, put in, replaced, or exchanged with the next one. */
const isOneSlip = (a: string, b: string): boolean => distance(a, b) === 1 || isExchanged(a, b);

function isExchanged(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** The names that stand in place of words that are none, and so were said. */
const certainNames = (candidates: readonly Candidate[]): string[] =>
  candidates.flatMap((candidate) => {
    const { alike, group } = candidate;
    const isCertain =
      isWritten(candidate, LEAST.mixed) && !alike.form.isAcronym && group.tokens.every(isUnheardOf);
    return isCertain ? alike.form.name : [];
  });

/** Whether a word is in no list and in no dictionary. */
const isUnheardOf = (token: string): boolean => ordinariness(token) === STRANGE && !isListed(token);

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

/** The least score of a name, whatever is around it. */
function leastScore(
  talk: Talk,
  group: Group,
  alike: Alike,
  { isBacked, isMeant }: { isBacked: boolean; isMeant: boolean },
): number {
  if (isMeant) return LEAST.mixed.written;
  return isBacked || isHomophone(talk, group, alike) ? LEAST.mixed.offered : -Infinity;
}

/**
 * Whether what was heard is given only as a part of other names, and nobody is addressed by it, while what it sounds like
 * is a name by itself: "monroe" without "forward", where Monroe Forward and Monro are given, is Monro.
 */
function isOnlyPart(talk: Talk, group: Group, { form }: Alike): boolean {
  const isName = (key: string): boolean =>
    talk.index.byKey.get(key)?.some(({ before, after }) => before.length + after.length === 0) ===
    true;
  return (
    !isName(group.tokens.join(' ')) &&
    isName(form.key) &&
    shareAddressed(talk, group) < MOSTLY_ADDRESSED
  );
}

/** A known name is a person's from this share of places on in which a person is introduced, greeted or thanked. */
const MOSTLY_ADDRESSED = 0.2;

/**
 * Whether what was heard sounds exactly like the name and is no English word, and no known name either, unless people are
 * addressed with it, or it is said again and again and the name never: "Colombia" beside Columbia is a country, but
 * "karolina" may well be Carolina.
 */
function isHomophone(talk: Talk, group: Group, { form, distance }: Alike): boolean {
  if (form.isAcronym || !group.tokens.every((one) => ordinariness(one) === STRANGE)) return false;
  const isInstead = group.places.length >= SAID_INSTEAD && !talk.counts.has(form.key);
  if (isInstead && distance < ALIKE && !isCountry(group)) return true;
  if (distance > 0) return false;
  const isKnown = group.tokens.every((one) => isListed(one));
  return !isKnown || shareAddressed(talk, group) >= MOSTLY_ADDRESSED;
}

/** A word that is said as often as this, where the name never is, may stand for it. */
const SAID_INSTEAD = 3;

/** The names of countries in English, which recognisers know. */
const COUNTRIES = new Set(
  Array.from({ length: 26 ** 2 }, (_, at) =>
    String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26)),
  ).map((code) => countryNames.of(code)?.toLowerCase()),
);
const isCountry = ({ tokens }: Group): boolean => COUNTRIES.has(tokens.join(' '));

/** Whether the words around a place complete a name that is given: then it is right. */
function isInName({ stream, index }: Talk, { first, last }: Place): boolean {
  for (let from = first; from > Math.max(-1, first - MAX_AROUND); from -= 1) {
    for (let to = last; to < last + MAX_AROUND; to += 1) {
      if (from === first && to === last) continue;
      if (index.byKey.has(stream.tokens.slice(from, to + 1).join(' '))) return true;
    }
  }
  return false;
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

/** Whether what was heard may be another name: acronyms sound like each other, and so may "Titan Capital" in capitals. */
const mayBeAnother = (evidence: Evidence, { tokens }: Group, { form }: Alike): boolean =>
  form.isAcronym || (tokens.length > 1 && evidence['capitals of rare words'] === 1);

/** Whether one of the heard words is a word of the name. */
const hasOwnWord = ({ tokens }: Group, { form }: Alike): boolean =>
  tokens.some((token) => form.tokens.includes(token));

/** The confidence in a name that is written, and in one that is offered: at most this, and at least that. */
const CONFIDENCE = { written: [0.95, 0.86], offered: [0.8, 0.6] } as const;

function matchOf(
  { stream: { words, wordOf } }: Survey,
  { counts }: Talk,
  candidate: Candidate,
  isToWrite: boolean,
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
  const kind = isToWrite ? 'written' : 'offered';
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
