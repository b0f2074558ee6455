/** Deciding on an audit's corrections in the captions of whole talks. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { buildCues } from '../../../server/captions/build.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { decide } from '../../../web/review/model/corrections.ts';
import { reviewCues, type ReviewCue } from '../../../web/review/model/cue.ts';
import type { Decision } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { seedMishears } from '../../terminology/seeded.ts';
import { applyCorrections, audit, packs, textOf } from '../../terminology/support.ts';
import { TALKS } from '../../terminology/talks.ts';
import { settings, wordsOf } from './support.ts';

setDefaultTimeout(300_000);

const SEEDS = [0, 1, 2, 3];

const talks = await Promise.all(
  Object.values(TALKS).flatMap((talk) =>
    SEEDS.map(async (seed) => {
      const { words } = seedMishears(talk, packs, seed);
      const { corrections } = await audit(words);
      const made = corrections.filter(({ decision }) => decision === 'accepted');
      const textWith = (accepted: readonly TermCorrection[]) =>
        textOf(applyCorrections(words, accepted));
      const cues = reviewCues(buildCues(applyCorrections(words, made), settings, 'en'));
      return { corrections, made, textWith, cues };
    }),
  ),
);

const decided = (
  cues: readonly ReviewCue[],
  correction: TermCorrection,
  from: Decision,
  to: Decision,
): readonly ReviewCue[] | undefined =>
  decide(cues, correction, from, to, settings, 'en')?.reduce(applySplice, cues);

test('one decision changes the words that the server would have changed, and back', () => {
  const counts = { decisions: 0, right: 0, back: 0 };
  for (const { corrections, made, textWith, cues } of talks) {
    for (const correction of corrections) {
      const isMade = made.includes(correction);
      const expected = isMade
        ? made.filter((other) => other !== correction)
        : [...made, { ...correction, decision: 'accepted' as const }];
      const [from, to]: Decision[] = isMade ? ['accepted', 'rejected'] : ['open', 'accepted'];
      counts.decisions += 1;
      const there = decided(cues, correction, from!, to!);
      if (!there) continue;
      if (wordsOf(there) === textWith(expected)) counts.right += 1;
      if (wordsOf(decided(there, correction, to!, from!) ?? []) === wordsOf(cues)) counts.back += 1;
    }
  }
  expect(counts.decisions).toBeGreaterThan(200);
  expect(counts.right / counts.decisions).toBeGreaterThan(0.97);
  expect(counts.back / counts.decisions).toBeGreaterThan(0.97);
});

test('undoing all decisions restores the recognised words', () => {
  const counts = { talks: 0, heard: 0, again: 0 };
  for (const { made, textWith, cues } of talks) {
    const all = (cues: readonly ReviewCue[], from: Decision, to: Decision) =>
      made.reduce((cues, correction) => decided(cues, correction, from, to) ?? cues, cues);
    const heard = all(cues, 'accepted', 'rejected');
    counts.talks += 1;
    if (wordsOf(heard) === textWith([])) counts.heard += 1;
    if (wordsOf(all(heard, 'rejected', 'accepted')) === wordsOf(cues)) counts.again += 1;
  }
  expect(counts.heard).toBeGreaterThan(counts.talks * 0.9);
  expect(counts.again).toBeGreaterThan(counts.talks * 0.9);
});
