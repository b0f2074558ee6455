/** Decisions on terms change the words in the captions, and back. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { buildCues } from '../../../server/captions/build/build.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { type Correction, decide } from '../../../web/review/model/corrections.ts';
import { type ReviewCue, textOf as lineText, reviewCues } from '../../../web/review/model/cue.ts';
import type { Decision } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { seedMishears } from '../../terminology/seeded.ts';
import { applyCorrections, audit, packs, textOf } from '../../terminology/support.ts';
import { TALKS } from '../../terminology/talks.ts';
import { cuesOf, settings, wordsOf } from './support.ts';
import fc from 'fast-check';

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

describe('decisions on terms', () => {
  const correction = (
    before: string,
    after: string,
    more: Partial<Correction> = {},
  ): Correction => ({
    id: 'c1',
    start: 0.5,
    end: 1.5,
    before,
    after,
    decision: 'needs_review',
    ...more,
  });

  const decided = (
    cues: readonly ReviewCue[],
    of: Correction,
    from: Decision,
    to: Decision,
  ): readonly ReviewCue[] | null =>
    decide(cues, of, from, to, settings, 'en')?.reduce(applySplice, cues) ?? null;

  /** Accepts a correction in captions with these texts, separated by bars. */
  const accepted = (texts: string, of: Correction) =>
    decided(cuesOf(...texts.split('|')), of, 'open', 'accepted')
      ?.map(lineText)
      .join('|') ?? null;

  test.each([
    ['a stop of the text', 'We use off kit.', 'off kit', 'AuthKit', 'We use AuthKit.'],
    ['a stop of both', 'We use off kit, yes', 'off kit.', 'AuthKit.', 'We use AuthKit, yes'],
    ['quotes', 'We use “off kit”', '“off kit”', '“AuthKit”', 'We use “AuthKit”'],
    ['stops of letters', 'The S. L. A. is', 'S. L. A.', 'SLA', 'The SLA is'],
    ['a capital of a sentence', 'Work flows are.', 'work flows', 'workflows', 'Workflows are.'],
    ['a capital of the term', 'Off kit is here.', 'Off kit', 'AuthKit', 'AuthKit is here.'],
    ['other capitals', 'the mcp server', 'mcp', 'MCP', 'the MCP server'],
    ['no part of a word', 'works offkit off kit', 'off kit', 'AuthKit', 'works offkit AuthKit'],
    ['marks of the term', 'We use see plus plus.', 'see plus plus', 'C++', 'We use C++.'],
    ['an apostrophe', 'off kit’s key', "off kit's", "AuthKit's", "AuthKit's key"],
    ['a line break', 'We use off\nkit here', 'off kit', 'AuthKit', 'We use AuthKit\nhere'],
    ['a line break before', 'We use\noff kit here', 'off kit', 'AuthKit', 'We use\nAuthKit here'],
    ['as many words', 'We use work\noh ess', 'work oh', 'Work Oh', 'We use Work\nOh ess'],
    ['words that are not there', 'We use it', 'off kit', 'AuthKit', null],
    ['the words of the term', 'We use AuthKit', 'authkit', 'AuthKit', null],
    ['two cues: the first', 'We use off|kit here.', 'off kit', 'AuthKit', 'We use AuthKit|here.'],
    ['two cues: a mark', 'We use off|kit, so.', 'off kit', 'AuthKit', 'We use AuthKit,|so.'],
    ['two cues: divided', 'We use work|oh.', 'work oh', 'Work OS', 'We use Work|OS.'],
    ['two cues: some stay', 'a big em|cee server', 'big em cee server', 'MC server', 'a MC|server'],
    ['two cues: no more in it', 'We use off|kit.', 'off kit', 'AuthKit', 'We use|AuthKit.'],
    ['two cues: none before', 'Off|kit is here', 'off kit', 'AuthKit', 'AuthKit|is here'],
  ])('accepting changes only the words, with %s', (_, texts, before, after, expected) => {
    // A word may be heard half a second before or after its caption.
    const times = texts.includes('|') ? { start: 1.5, end: 3.5 } : { start: 2.4, end: 2.8 };
    expect(accepted(texts, correction(before, after, times))).toBe(expected);
  });

  test('decisions back and forth restore the same words', () => {
    const word = fc.constantFrom('They', 'use', 'it', 'the', 'team,', 'yes.', 'And');
    const around = fc.array(word, { maxLength: 9 });
    const phrases = fc.constantFrom(
      ['off kit', 'AuthKit'],
      ['model context protocol', 'MCP'],
      ['work oh ess', 'WorkOS'],
      ['mcp', 'MCP'],
      ['S. L. A.', 'SLA'],
      ['pier fear', 'PeerSphere Inc.'],
    );
    fc.assert(
      fc.property(around, around, phrases, fc.nat(), fc.nat(), (left, right, phrase, cut, wrap) => {
        const [before, after] = phrase as [string, string];
        const words = [...left, ...before.split(' '), ...right];
        const at = cut % (words.length + 1);
        const line = (all: string[]) => {
          const end = wrap % (all.length + 1);
          return [all.slice(0, end).join(' '), all.slice(end).join(' ')].filter(Boolean).join('\n');
        };
        const cues = cuesOf(
          ...[words.slice(0, at), words.slice(at)].filter(({ length }) => length).map(line),
        );
        const of = correction(before, after, { start: 0, end: 6 });
        const there = decided(cues, of, 'open', 'accepted')!;
        expect(wordsOf(there)).toBe([...left, after, ...right].join(' '));
        const back = decided(there, of, 'accepted', 'rejected')!;
        expect(wordsOf(back)).toBe(wordsOf(cues));
        const again = decided(back, of, 'rejected', 'accepted')!;
        expect(wordsOf(again)).toBe(wordsOf(there));
      }),
      { numRuns: 500 },
    );
  });
});
