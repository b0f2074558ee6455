/**
 * Measures the share of misheard terms that are corrected or shown, and the share of changes that
 * are right.
 */
import type { TermCorrection } from '../server/contract/terminology.ts';
import type { ActiveTerm } from '../server/terminology/active-term.ts';
import { compileTerminology } from '../server/terminology/packs/compile.ts';
import { correct } from '../server/terminology/decide/correct.ts';
import { createMatcher } from '../server/terminology/match/match.ts';
import { decideByMatcher } from '../server/terminology/decide/decide-in-rounds.ts';
import type { TermPack } from '../server/terminology/packs/pack.ts';
import { seedMishears } from '../test/terminology/seeded.ts';
import { request, textOf, wordsOf } from '../test/terminology/support.ts';
import { TALKS } from '../test/terminology/talks.ts';

const MIN_CONFIDENCE = 0.85;
const SEEDS = 40;

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)}%`;

/** A text after the corrections that are made, and with those that are only shown as well. */
function readings(text: string, terms: readonly ActiveTerm[]): { made: string; shown: string } {
  const words = wordsOf(text);
  const edits = decideByMatcher(createMatcher(terms), words, MIN_CONFIDENCE).map(
    ({ correction }) => correction,
  );
  const read = (...decisions: TermCorrection['decision'][]) =>
    textOf(
      correct(
        words,
        edits.flatMap((edit) => {
          const { firstWord, lastWord, before, after } = edit;
          return decisions.includes(edit.decision) ? { firstWord, lastWord, before, after } : [];
        }),
      ).words,
    ).toLowerCase();
  return { made: read('accepted'), shown: read('accepted', 'needs_review') };
}

/**
 * The rows of the table, in per cent: with the mishears listed in the packs, and with each of them
 * unlisted.
 */
export function terminologyFigures(packs: readonly TermPack[]): Record<string, string>[] {
  const { terms } = compileTerminology(
    packs,
    request({ requestedPacks: packs.map(({ id }) => id) }),
  );
  return [...seededTalks(packs, terms), leftOut(terms)];
}

/** Measures talks in which every term is misheard in a listed way. */
function seededTalks(packs: readonly TermPack[], terms: readonly ActiveTerm[]) {
  const matcher = createMatcher(terms);
  const counts = { seeded: 0, fixed: 0, shown: 0, changed: 0, right: 0, risky: 0 };
  for (let seed = 0; seed < SEEDS; seed += 1) {
    for (const talk of Object.values(TALKS)) {
      const { words, seeds } = seedMishears(talk, packs, seed);
      const corrections = decideByMatcher(matcher, words, MIN_CONFIDENCE).map((d) => d.correction);
      const at = (first: number, last: number) =>
        corrections.filter((edit) => edit.firstWord <= last && edit.lastWord >= first);
      for (const { canonical, first, last, risky } of seeds) {
        const right = at(first, last).filter(({ after }) => after.includes(canonical));
        counts.seeded += 1;
        counts.risky += Number(risky);
        counts.shown += Number(right.length > 0);
        counts.fixed += Number(right.some(({ decision }) => decision === 'accepted'));
      }
      for (const edit of corrections.filter(({ decision }) => decision === 'accepted')) {
        const { firstWord, lastWord, after } = edit;
        counts.changed += 1;
        counts.right += Number(
          seeds.some(
            ({ first, last, canonical }) =>
              firstWord <= last && lastWord >= first && after.includes(canonical),
          ),
        );
      }
    }
  }
  const { seeded, fixed, shown, changed, right, risky } = counts;
  return [
    {
      what: `listed mishears in talks (${seeded}; ${percent(risky, seeded)} of them ordinary English)`,
      fixed: percent(fixed, seeded),
      'fixed or shown': percent(shown, seeded),
      'right of what was changed': percent(right, changed),
    },
  ];
}

/** Measures each listed mishear after removing it from its pack. */
function leftOut(terms: readonly ActiveTerm[]) {
  const counts = { heard: 0, fixed: 0, shown: 0 };
  for (const [at, term] of terms.entries()) {
    for (const mishear of term.mishears) {
      const without = (list: readonly string[]) => list.filter((entry) => entry !== mishear);
      const known = terms.with(at, {
        ...term,
        mishears: without(term.mishears),
        risky: without(term.risky),
      });
      const near = term.near[0] === undefined ? '' : `We talked about ${term.near[0]} first. `;
      const text = `${near}So the next thing was to look at ${mishear} and how it fits in.`;
      const { made, shown } = readings(text, known);
      const name = term.canonical.toLowerCase();
      counts.heard += 1;
      counts.shown += Number(shown.includes(name));
      counts.fixed += Number(made.includes(name));
    }
  }
  return {
    what: `the same mishears unlisted, one sentence of context (${counts.heard})`,
    fixed: percent(counts.fixed, counts.heard),
    'fixed or shown': percent(counts.shown, counts.heard),
    'right of what was changed': '–',
  };
}
