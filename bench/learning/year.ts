/**
 * Simulates a year of one workspace: 40 talks, 120 names and terms of its own, each misheard in a
 * few recurring ways, and a person who corrects them with occasional slips.
 */
import { ownTermsOf, type WorkspaceDocument } from '../../server/learning/terminology-store.ts';
import { evidenceOf, type RunEvidence } from '../../server/learning/evidence.ts';
import { candidatesOf } from '../../server/learning/rules.ts';
import type { ReviewDocument } from '../../server/contract/review.ts';
import type { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { makeCue } from '../../server/captions/cue.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { correct } from '../../server/terminology/decide/correct.ts';
import { observe } from '../../server/terminology/decide/decide.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { wordParts } from '../../server/terminology/match/normalize.ts';
import { randomOf, type Said, speak } from './year-speech.ts';
import { TERMS } from './year-material.ts';
import {
  applyRule,
  decideByEvidence,
  decidedRule,
  questionsOf,
} from '../../server/learning/apply-rules.ts';

/** The results of one talk. */
export interface TalkFigures {
  talk: number;
  /** Ordinary words spoken. */
  words: number;
  /** Terms spoken. */
  terms: number;
  /** Corrections by the person: accepted, typed, rejected. */
  corrections: number;
  /** How many of these undo wrong automatic changes. */
  wrong: number;
  /** Questions at the end of the review. */
  questions: number;
}

export interface YearOptions {
  talks: number;
  /** Terms per talk. */
  perTalk: number;
  seed: number;
  /** The share of corrections that are slips, from 0 to 1. */
  slips: number;
  /** The most questions answered at the end of one review. */
  questions: number;
}

const YEAR: YearOptions = { talks: 40, perTalk: 70, seed: 1, slips: 0.02, questions: 6 };

/** Simulates a year; the same options give the same year. */
export function simulateYear(options: Partial<YearOptions> = {}): TalkFigures[] {
  const given = { ...YEAR, ...options };
  const random = randomOf(given.seed);
  let document: WorkspaceDocument = { terms: [], automatic: true, rules: [] };
  const runs: RunEvidence[] = [];
  const figures: TalkFigures[] = [];
  for (let talk = 1; talk <= given.talks; talk += 1) {
    const now = talk * 1000;
    document = decideByEvidence(document, candidatesOf(runs, document), now);
    const said = speak(given.perTalk, random);
    const done = review(said, document, given, random);
    runs.push({ runId: `run_${talk}`, createdAt: now + 1, evidence: done.evidence });
    document = decideByEvidence(document, candidatesOf(runs, document), now + 2);
    const asked = answer(document, runs, given, random, now + 3);
    document = asked.document;
    figures.push({ talk, ...done.figures, questions: asked.questions });
  }
  return figures;
}

interface Reviewed {
  evidence: RunEvidence['evidence'];
  figures: Omit<TalkFigures, 'talk' | 'questions'>;
}

/** Runs the service's corrections on a talk, then the person's. */
function review(
  said: readonly Said[],
  document: WorkspaceDocument,
  { slips }: YearOptions,
  random: () => number,
): Reviewed {
  const heard: TranscriptWord[] = [];
  /** The index of the stretch that each recognised word belongs to. */
  const owner: number[] = [];
  for (const [at, { heard: text }] of said.entries()) {
    for (const word of text.split(' ')) {
      heard.push({ text: word, start: heard.length / 3, end: heard.length / 3 + 0.3 });
      owner.push(at);
    }
  }
  const { terms } = compileTerminology([], {
    requestedPacks: [],
    glossary: [],
    keyterms: [],
    include: [],
    exclude: [],
    maxKeyterms: 100,
    own: ownTermsOf(document),
  });
  const drafts = decideByMatcher(createMatcher(terms), heard, 0.85);
  const corrections: TermCorrection[] = drafts.map(({ correction }, at) => ({
    ...correction,
    id: `c${at}`,
  }));
  const observations: TermObservation[] = drafts.map((draft, at) => observe(draft, `c${at}`));
  const decisions: ReviewDocument['corrections'] = [];
  const counts = { corrections: 0, wrong: 0 };
  const slip = () => random() < slips;
  /** The final text by recognised word; null where an earlier word's text replaces it. */
  const texts: (string | null)[] = heard.map(({ text }) => text);
  const put = (first: number, last: number, text: string) => {
    for (let at = first; at <= last; at += 1) texts[at] = at === first ? text : null;
  };
  const settledStretches = new Set<number>();
  for (const correction of corrections) {
    const { id, firstWord, lastWord, after, decision } = correction;
    const stretch = owner[firstWord] ?? 0;
    const meant = heard
      .slice(firstWord, lastWord + 1)
      .map((_, at) => owner[firstWord + at])
      .filter((one, at, all) => all.indexOf(one) === at)
      .map((one) => said[one ?? 0]?.meant ?? '')
      .join(' ');
    const isRight = bare(after) === bare(meant);
    if (decision === 'accepted') {
      if (isRight) {
        put(firstWord, lastWord, after);
        settledStretches.add(stretch);
        continue;
      }
      counts.wrong += 1;
      counts.corrections += 1;
      decisions.push({ id, decision: 'rejected' });
      continue;
    }
    if (decision === 'rejected') continue;
    // The person checks each suggestion; a slip decides it wrongly.
    const isAccepted = slip() ? !isRight : isRight;
    counts.corrections += Number(isAccepted);
    decisions.push({ id, decision: isAccepted ? 'accepted' : 'rejected' });
    if (isAccepted) {
      put(firstWord, lastWord, after);
      settledStretches.add(stretch);
    }
  }
  for (const [at, { meant, isTerm }] of said.entries()) {
    if (!isTerm || settledStretches.has(at)) continue;
    const first = owner.indexOf(at);
    const last = owner.lastIndexOf(at);
    const stands = texts
      .slice(first, last + 1)
      .flatMap((text) => text ?? [])
      .join(' ');
    if (bare(stands) === bare(meant)) continue;
    counts.corrections += 1;
    if (slip()) {
      // One in three slips is an oversight, the others are typing errors.
      if (random() < 1 / 3) continue;
      const cut = 1 + Math.floor(random() * (meant.length - 2));
      put(first, last, meant.slice(0, cut) + meant.slice(cut + 1));
    } else put(first, last, meant);
  }
  const final = correct(heard, corrections).words;
  const original = cuesOf(final);
  const reviewed = cuesOf(
    texts.flatMap((text, at) => (text === null ? [] : { text, start: at / 3, end: at / 3 + 0.3 })),
  );
  const evidence = evidenceOf(
    {
      words: final,
      cues: original,
      corrections,
      observations,
      known: terms.map(({ canonical }) => canonical),
    },
    { cues: reviewed, corrections: decisions, speakers: [], finished: true },
  );
  const ordinary = said.filter(({ isTerm }) => !isTerm).length;
  return {
    evidence,
    figures: { words: ordinary, terms: said.length - ordinary, ...counts },
  };
}

const bare = (text: string): string =>
  text
    .split(' ')
    .map((word) => wordParts(word).core)
    .join(' ');

/** Captions of ten words. */
function cuesOf(words: readonly TranscriptWord[]) {
  const cues = [];
  for (let at = 0; at < words.length; at += 10) {
    const some = words.slice(at, at + 10);
    const text = some.map(({ text }) => text).join(' ');
    cues.push(makeCue(cues.length + 1, some[0]?.start ?? 0, some.at(-1)?.end ?? 0, [text]));
  }
  return cues;
}

/**
 * Answers the questions at the end of a review: yes if they are right, with the same share of
 * slips.
 */
function answer(
  document: WorkspaceDocument,
  runs: readonly RunEvidence[],
  { questions, slips }: YearOptions,
  random: () => number,
  now: number,
): { document: WorkspaceDocument; questions: number } {
  let current = document;
  const asked = questionsOf(current, candidatesOf(runs, current)).slice(0, questions);
  for (const candidate of asked) {
    const isTrue = TERMS.some(
      ({ canonical, mishears }) =>
        canonical === candidate.canonical &&
        (candidate.surface === null || mishears.includes(candidate.surface)),
    );
    const isWanted = candidate.kind === 'never' ? !isTrue : isTrue;
    const rule = decidedRule(candidate, {});
    const isYes = random() < slips ? !isWanted : isWanted;
    const applied = isYes ? applyRule(current, rule, now) : null;
    current = applied ?? {
      ...current,
      rules: [...current.rules, { ...rule, state: 'dismissed', settledAt: now }],
    };
  }
  return { document: current, questions: asked.length };
}
