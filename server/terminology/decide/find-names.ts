/**
 * Finds the names that were given for this very talk where they were misheard: decides for each of them on the talk as a
 * whole, and then on each place.
 */
import { type Match, freePlaces } from '../match/findings.ts';
import type { Survey } from '../match/match.ts';
import { memoized } from '../match/memoized.ts';
import { replacementFor, surfaceText } from '../match/replace.ts';
import { type Alike, type Group, groupsIn, indexNames, type Place } from '../names/candidates.ts';
import { evidenceFor, scoreOf, talkOf } from '../names/evidence.ts';
import { formsOf } from '../names/forms.ts';
import type { ActiveTerm } from '../active-term.ts';
import { decide, type Draft } from './decide.ts';

const indexOf = memoized((terms: readonly ActiveTerm[]) => indexNames(formsOf(terms)));

/** The scores from which a name is written, and from which it is offered. */
const LEAST = { written: 2.4, offered: 1.4 } as const;

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
    for (const alike of group.alike) {
      if (alike.form.term.never?.includes(key)) continue;
      for (const [at, evidence] of evidenceFor(talk, group, alike).entries()) {
        const score = scoreOf(evidence);
        const isBeside = evidence['beside strange words'] + evidence['beside ordinary words'] >= 1;
        if (score < LEAST.offered || (index.byKey.has(key) && !isBeside)) continue;
        // Words that are given too, other acronyms, or once ordinary words in a row: only a person can say what was meant.
        const isOpen =
          index.byKey.has(key) ||
          (evidence['part of another name'] === 1 && !isBeside && !hasOwnWord(group, alike)) ||
          (alike.form.isAcronym && alike.distance > NEARLY_THE_SAME) ||
          (evidence.joined === 1 &&
            evidence['ordinary words said'] > 0 &&
            evidence['name said'] === 0 &&
            group.places.length === 1);
        candidates.push({ group, alike, place: group.places[at]!, score, isOpen });
      }
    }
  }
  candidates.sort((a, b) => b.score - a.score || a.place.first - b.place.first);
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

/** Whether one of the heard words is a word of the name. */
const hasOwnWord = ({ tokens }: Group, { form }: Alike): boolean =>
  tokens.some((token) => form.tokens.includes(token));

/** The confidence in a name that is written, and in one that is offered: at most this, and at least that. */
const CONFIDENCE = { written: [0.95, 0.86], offered: [0.8, 0.6] } as const;

function matchOf(
  { stream: { words, wordOf } }: Survey,
  { alike: { form }, place, score, isOpen }: Candidate,
): Match | null {
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
  const kind = score >= LEAST.written && !isOpen ? 'written' : 'offered';
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
