/**
 * Corrects repeatedly until there is nothing left to correct, so that auditing a corrected transcript changes nothing.
 */
import type { TranscriptWord } from '../../contract/results.ts';
import { correct, type Edited } from './correct.ts';
import { byPlace, decide, type Draft, INFERRED, isAccepted, withoutOverlaps } from './decide.ts';
import type { Survey, Matcher } from '../match/match.ts';
import { spanText, surfaceText } from '../match/replace.ts';
import { freePlaces } from '../match/findings.ts';
import { findNames, nameIndexOf } from './find-names.ts';
import { findPhonetic } from './phonetic.ts';
import { memoized } from '../match/memoized.ts';
import { fold, tokenize } from '../match/normalize.ts';
import { belongingOf } from '../names/belonging.ts';
import { mayStayDivided } from '../names/candidates.ts';
import { talkOf } from '../names/evidence.ts';
import type { ActiveTerm } from '../active-term.ts';

/**
 * The most rounds. One correction can complete the surface of another ("m c p sever" → "MCP sever" → "MCP server"), but
 * such chains are short.
 */
const MAX_ROUNDS = 8;

/**
 * All decisions on a transcript, in order of place, as edits of the given words. Edits that build on each other are
 * merged, with the lowest of their confidences.
 * @param first the decisions on the unchanged words, without overlaps
 * @param sounds finds words that sound like a term, once the certain edits are made: the terms that these correct are
 *   context for the rest
 * @example
 * const words = [{ text: 'authkit', start: 0, end: 1 }];
 * const { terms } = compileTerminology([], {
 *   ...{ requestedPacks: [], keyterms: [], include: [], exclude: [], maxKeyterms: 100 },
 *   glossary: ['AuthKit'],
 * });
 * const matcher = createMatcher(terms);
 * const first = decide(words, matcher.survey(words).matches, 0.85);
 * decideInRounds(matcher, words, first, 0.85).map(({ correction }) => correction.after); // => ['AuthKit']
 */
export function decideInRounds(
  matcher: Matcher,
  words: readonly TranscriptWord[],
  first: readonly Draft[],
  minConfidence: number,
  sounds?: Sounds,
): Draft[] {
  const made: Draft[] = [];
  let alike: Draft[] = [];
  let survey = sounds?.survey;
  let state: Edited = {
    words: [...words],
    origins: words.map((_, at) => ({ first: at, last: at })),
  };
  let accepted = first.filter(isAccepted);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (accepted.length === 0) {
      if (!sounds || !survey) break;
      const found = sounds.find(survey, (at) => isEdited(words, state, at));
      alike = found
        .filter((draft) => !isAccepted(draft))
        .map((draft) => traced(words, draft, state));
      accepted = found.filter(isAccepted);
      if (accepted.length === 0) break;
    }
    made.push(...accepted.map((draft) => traced(words, draft, state)));
    state = edit(state, accepted);
    survey = matcher.survey(state.words);
    accepted = decideSurvey(survey, matcher.terms, minConfidence).filter(isAccepted);
  }
  const edits = combine(words, made, state);
  const open = first.filter((draft) => !isAccepted(draft));
  const doubts = new Set(alike.filter((draft) => draft.match.heardIsGiven).map(placeOf));
  const sure = edits.filter((draft) => !(isOnlyCapitals(draft) && doubts.has(placeOf(draft))));
  return withoutOverlaps([...sure, ...open, ...alike], freePlaces(words.length));
}

const placeOf = ({ correction: { firstWord, lastWord } }: Draft): string =>
  `${firstWord} ${lastWord}`;

/** Whether an edit writes the same words with other capitals. */
const isOnlyCapitals = ({ correction: { before, after } }: Draft): boolean =>
  fold(before) === fold(after);

/** Finds words that sound like a term. */
interface Sounds {
  /** The survey of the unchanged words. */
  survey: Survey;
  /** The decisions on the words of a survey; `isEdited` returns whether an edit has made a word. */
  find(survey: Survey, isEdited: (word: number) => boolean): Draft[];
}

/**
 * Whether an edit has made a word, and not only its capitals. A word that no edit has touched is the same object as in the
 * original.
 */
function isEdited(words: readonly TranscriptWord[], state: Edited, at: number): boolean {
  const [now, { first, last }] = [state.words[at]!, state.origins[at]!];
  const before = words[first]!;
  return now !== before && !(first === last && fold(now.text) === fold(before.text));
}

/** A draft with its place in the original words, and with these. */
function traced(words: readonly TranscriptWord[], draft: Draft, { origins }: Edited): Draft {
  const firstWord = origins[draft.correction.firstWord]!.first;
  const lastWord = origins[draft.correction.lastWord]!.last;
  const before = spanText(words, firstWord, lastWord);
  return { ...draft, correction: { ...draft.correction, firstWord, lastWord, before } };
}

function edit(state: Edited, drafts: readonly Draft[]): Edited {
  const edited = correct(
    state.words,
    drafts.map(({ correction }) => correction),
  );
  const origins = edited.origins.map(({ first, last }) => ({
    first: state.origins[first]!.first,
    last: state.origins[last]!.last,
  }));
  return { words: edited.words, origins };
}

/** One edit for each stretch of original words that edits have touched, with the final text. */
function combine(words: readonly TranscriptWord[], made: Draft[], state: Edited): Draft[] {
  const groups: Draft[][] = [];
  let end = -1;
  // The sort is stable, so of edits that begin at the same place, those of later rounds come later.
  for (const draft of [...made].sort(byPlace)) {
    if (draft.correction.firstWord > end) groups.push([]);
    groups.at(-1)?.push(draft);
    end = Math.max(end, draft.correction.lastWord);
  }
  let at = 0;
  return groups.flatMap((group) => {
    const only = group[0];
    if (!only || group.length === 1) return group;
    const first = Math.min(...group.map(({ correction }) => correction.firstWord));
    const last = Math.max(...group.map(({ correction }) => correction.lastWord));
    while ((state.origins[at]?.last ?? last) < first) at += 1;
    const texts: string[] = [];
    for (; (state.origins[at]?.first ?? Infinity) <= last; at += 1) {
      texts.push(state.words[at]!.text);
    }
    return asOne(words, group, { first, last, after: texts.join(' ') });
  });
}

function asOne(
  words: readonly TranscriptWord[],
  group: readonly Draft[],
  { first, last, after }: { first: number; last: number; after: string },
): Draft[] {
  const before = spanText(words, first, last);
  // The latest edit determines the term, since it took the others into account.
  const latest = widest(group);
  if (!latest || before === after) return [];
  const inferred = group.find(({ match }) => INFERRED.has(match.evidence));
  return [
    {
      match: {
        ...latest.match,
        surface: surfaceText(words, first, last),
        firstWord: first,
        lastWord: last,
        evidence: (inferred ?? latest).match.evidence,
      },
      correction: {
        ...latest.correction,
        firstWord: first,
        lastWord: last,
        start: words[first]!.start,
        end: words[last]!.end,
        before,
        after,
        confidence: Math.min(...group.map(({ correction }) => correction.confidence)),
      },
    },
  ];
}

/** The edit that covers the most words and, of equals, the latest. */
const widest = (group: readonly Draft[]): Draft | undefined =>
  [...group].sort((a, b) => reach(a) - reach(b)).at(-1);

const reach = ({ correction }: Draft): number => correction.lastWord - correction.firstWord;

/**
 * All decisions of the matcher, in order of place, without overlaps.
 * @param minConfidence edits are made from this confidence on
 */
export function decideByMatcher(
  matcher: Matcher,
  words: readonly TranscriptWord[],
  minConfidence: number,
): Draft[] {
  const survey = matcher.survey(words);
  const first = decideSurvey(survey, matcher.terms, minConfidence);
  return decideInRounds(matcher, words, first, minConfidence, {
    survey,
    find: (state, isEdited) => findAlike(state, matcher.terms, isEdited, minConfidence),
  });
}

/**
 * The decisions on what was found in a survey. What could be a name that was given for the talk if it were written
 * together is only offered where it may be right as it is, and where hardly one of those names is said ("ebit da").
 */
function decideSurvey(
  { stream, english, matches }: Survey,
  terms: readonly ActiveTerm[],
  minConfidence: number,
): Draft[] {
  const drafts = decide(stream.words, matches, minConfidence);
  const divided = drafts.filter((draft) => english && isAccepted(draft) && isOnlyDivided(draft));
  if (divided.length === 0) return drafts;
  const index = nameIndexOf(terms);
  const isStrange = belongingOf(talkOf(stream, index), []) === 'strange';
  for (const { match, correction } of divided) {
    const { canonical } = match.term;
    const isOpen = mayStayDivided(index, tokenize(match.surface), canonical);
    if (!isStrange && !isOpen) continue;
    correction.decision = 'needs_review';
    correction.reason += isStrange
      ? ' The talk has hardly one of the names that were given for it.'
      : ' It may be right as it is.';
  }
  return drafts;
}

/** Whether an edit only writes together a name that nothing but the talk was given. */
const isOnlyDivided = ({ match: { term, evidence } }: Draft): boolean =>
  evidence === 'spacing' && term.given === true && term.packIds.length === 0;

/** The terms of packs and of a workspace, which are weaker evidence than names that only the talk was given. */
const listed = memoized((terms: readonly ActiveTerm[]) =>
  terms.filter(({ given, packIds }) => !given || packIds.length > 0),
);

/**
 * Finds words that sound like a term. In English, names that were given for the talk are found by what the whole talk
 * says for and against them, and win over other terms.
 */
function findAlike(
  survey: Survey,
  terms: readonly ActiveTerm[],
  isEdited: (word: number) => boolean,
  minConfidence: number,
): Draft[] {
  if (!survey.english) return findPhonetic(survey, terms, isEdited, minConfidence);
  const names = findNames(survey, terms, isEdited, minConfidence);
  const taken = freePlaces(survey.stream.words.length);
  for (const { correction } of names) taken.take(correction.firstWord, correction.lastWord);
  const others = findPhonetic(
    survey,
    listed(terms),
    (word) => isEdited(word) || !taken.isFree(word),
    minConfidence,
  );
  return [...names, ...others].sort(byPlace);
}
