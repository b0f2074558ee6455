/**
 * Finds the names that were given for this very talk where they were misheard: decides for each of them on the talk as a
 * whole, and then on each place.
 */
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
import { type Evidence, evidenceFor, scoreOf, talkOf } from '../names/evidence.ts';
import { formsOf } from '../names/forms.ts';
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
      for (const [at, evidence] of evidenceFor(talk, group, alike).entries()) {
        const isBeside = evidence['beside strange words'] + evidence['beside ordinary words'] >= 1;
        const isBacked = isBackedMore(index, group, alike);
        const score = Math.max(scoreOf(evidence), isBacked ? LEAST.offered : -Infinity);
        if (score < LEAST.offered || (isGiven && !isBeside && !isBacked)) continue;
        const acronym = acronymFor(evidence, alike);
        if (acronym === 'no') continue;
        // Words that are given too, other acronyms, or common words once in a row: only a person can say what was meant.
        const isOpen =
          isGiven ||
          (evidence['part of another name'] === 1 && !isBeside && !hasOwnWord(group, alike)) ||
          acronym === 'perhaps' ||
          (alike.form.isAcronym && key.startsWith(alike.form.key)) ||
          (evidence.joined === 1 &&
            evidence['common words'] === 1 &&
            evidence['name said'] === 0 &&
            group.places.length === 1);
        candidates.push({ group, alike, place: group.places[at]!, score, isOpen });
      }
    }
  }
  candidates.sort(
    (a, b) =>
      Number(isWritten(b)) - Number(isWritten(a)) ||
      b.score - a.score ||
      a.place.first - b.place.first,
  );
  const matches: Match[] = [];
  for (const candidate of candidates) {
    const match = matchOf(survey, candidate);
    if (!match || !taken.isFree(match.firstWord, match.lastWord)) continue;
    taken.take(match.firstWord, match.lastWord);
    matches.push(match);
  }
  matches.sort((a, b) => a.firstWord - b.firstWord);
  return decide(words, matches, minConfidence);
}

/** Names that are both given sound as much alike as this, if one of them may be the other. */
const ALIKE = 0.1;

/**
 * Whether what was heard is given too, but in fewer names than what it sounds like: of Monroe Forward, Monro Inc and Monro
 * University, the first is probably a slip.
 */
function isBackedMore({ byKey }: NameIndex, { tokens }: Group, { form, distance }: Alike): boolean {
  const given = byKey.get(tokens.join(' '))?.length ?? 0;
  return given > 0 && distance < ALIKE && (byKey.get(form.key)?.length ?? 0) > given;
}

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

function matchOf({ stream: { words, wordOf } }: Survey, candidate: Candidate): Match | null {
  const {
    alike: { form },
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
    reason: `"${surface}" sounds like ${form.text === form.name ? '' : `${form.text} of `}${form.name}, which was given for this talk.`,
  };
}
