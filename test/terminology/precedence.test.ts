/** Precedence and confidence of competing readings of the same words, with invented terms. */
import { describe, expect, test } from 'bun:test';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { similarityOf } from '../../server/terminology/match/similarity.ts';
import { term } from './made-terms.ts';
import { audit, wordsOf } from './support.ts';

const edits = async (text: string, terms: ActiveTerm[], minConfidence = 0.85) =>
  (await audit(wordsOf(text), { terms, minConfidence })).corrections.map(
    ({ before, after, confidence, decision }) => ({ before, after, confidence, decision }),
  );

test('corrections that undo each other in the end change nothing', async () => {
  // A term of seven words is searched for only by its mishears.
  const long = 'Kuvex Manta of the Zorbix Tunnel Guild';
  const terms = [
    term('KMX', { mishears: ['kuvex manta of'] }),
    term(long, { mishears: ['kmx the zorbix tunnel guild'] }),
  ];
  expect(await edits(`the ${long} today`, terms)).toEqual([]);
  expect(await edits(`the ${long.toLowerCase()} today`, terms)).toMatchObject([{ after: long }]);
});

test('the words of a correction are not corrected again for their sound', async () => {
  const long = 'Kuvex Manta of the Zorbiks Tunnel Guild';
  const terms = [term('Zorbix'), term(long, { mishears: ['kmx guild'] })];
  const text = 'we use Zorbix at the kmx guild';
  expect(await edits(text, terms)).toMatchObject([{ before: 'kmx guild', after: long }]);
});

test('corrections that build on each other are as uncertain as the least certain', () => {
  const terms = [
    term('Kmx', { mishears: ['sea'], risky: ['sea'], confirmed: ['sea'], near: ['crane'] }),
    term('Kmx Tunnel', { mishears: ['kmx funnel'] }),
  ];
  const text = wordsOf('a crane at the sea funnel');
  expect(decideByMatcher(createMatcher(terms), text, 0.85)).toMatchObject([
    {
      match: { evidence: 'risky' },
      correction: { before: 'sea funnel', after: 'Kmx Tunnel', confidence: 0.9 },
    },
  ]);
});

describe('of two overlapping matches', () => {
  const certain = term('Zorbix', { mishears: ['zorb icks'] });
  const weak = term('Skyhook', {
    mishears: ['saw the zorb icks'],
    risky: ['saw the zorb icks'],
    near: ['crane'],
  });

  test('the certain one wins over a longer one that needs evidence', async () => {
    expect(await edits('a crane saw the zorb icks', [weak])).toMatchObject([{ after: 'Skyhook' }]);
    expect(await edits('a crane saw the zorb icks', [weak, certain])).toMatchObject([
      { before: 'zorb icks', after: 'Zorbix', decision: 'accepted' },
    ]);
  });

  test('one that people have confirmed wins as a certain one does', async () => {
    const risky = ['zorb icks'];
    const confirmed = { mishears: risky, risky, confirmed: risky, near: ['crane'] };
    expect(
      await edits('a crane saw the zorb icks', [weak, term('Zorbix', confirmed)]),
    ).toMatchObject([{ before: 'zorb icks', after: 'Zorbix', confidence: 0.9 }]);
  });

  test('of the same words the term of higher rank wins', async () => {
    const other = term('Kuvex', { mishears: ['zorb icks'] });
    expect(await edits('the zorb icks', [certain, other])).toMatchObject([{ after: 'Zorbix' }]);
    expect(await edits('the zorb icks', [other, certain])).toMatchObject([{ after: 'Kuvex' }]);
  });

  test('of two certain ones the longer wins, at any position', async () => {
    const longer = term('Melvik', { mishears: ['icks mel vick'] });
    const text = 'the zorb icks mel vick';
    for (const terms of [
      [certain, longer],
      [longer, certain],
    ]) {
      expect(await edits(text, terms)).toMatchObject([{ after: 'Melvik' }]);
    }
  });

  test('a term as it stands keeps its words from a shorter one', async () => {
    const stands = term('Zorb Icks Mell');
    expect(await edits('the Zorb Icks Mell', [certain])).toMatchObject([{ after: 'Zorbix' }]);
    expect(await edits('the Zorb Icks Mell', [certain, stands])).toEqual([]);
  });

  test.each([
    [9, 3, 'Zorbix'],
    [3, 9, 'Melvik'],
    [5, 5, 'Zorbix'],
  ])(
    'of two equally long ones the heavier wins (%d, %d), otherwise the earlier',
    async (a, b, after) => {
      const terms = [
        { ...certain, weight: a },
        term('Melvik', { mishears: ['icks mel'], weight: b }),
      ];
      for (const order of [terms, terms.toReversed()]) {
        expect(await edits('the zorb icks mel', order)).toMatchObject([{ after }]);
      }
    },
  );
});

test('an edit from two matches has the lower of their confidences', async () => {
  // The letters spell the term with 0.95; together with the next word they are a known mishearing with
  // 0.97.
  const terms = [term('MXP'), term('MXP server', { mishears: ['mxp sever'] })];
  expect(await edits('an m x p', terms)).toMatchObject([{ after: 'MXP', confidence: 0.95 }]);
  expect(await edits('an MXP sever', terms)).toMatchObject([{ confidence: 0.97 }]);
  expect(await edits('an m x p sever', terms)).toEqual([
    { before: 'm x p sever', after: 'MXP server', confidence: 0.95, decision: 'accepted' },
  ]);
});

test('an edit from two matches is observed without the punctuation around its words', async () => {
  const terms = [term('MXP'), term('MXP server', { mishears: ['mxp sever'] })];
  const { corrections, observations } = await audit(wordsOf('an (m x p sever), here'), { terms });
  expect(corrections).toMatchObject([{ before: '(m x p sever),', after: '(MXP server),' }]);
  expect(observations).toMatchObject([{ surface: 'm x p sever', canonical: 'MXP server' }]);
});

test('a word that has the missing part of a term in it is only shown', async () => {
  const terms = [term('Zorbix'), term('Zorbix Tunnel')];
  const decisions = async (text: string) =>
    (await edits(text, terms)).map(({ after, decision }) => [after, decision]);
  expect(await decisions('the Zorbix tannel here')).toEqual([['Tunnel', 'accepted']]);
  expect(await decisions('the Zorbix gtunnel here')).toEqual([['Tunnel', 'needs_review']]);
});

test('a part of a word with a hyphen does not become the missing part of a term', async () => {
  const terms = [term('Zorbix'), term('Zorbix Tunnel Kuvex')];
  expect(await edits('the Zorbix tonnel Kuvex here', terms)).toMatchObject([
    { before: 'tonnel', after: 'Tunnel' },
  ]);
  expect(await edits('the Zorbix tonnel-Kuvex here', terms)).toEqual([]);
});

test('a word of few sounds has to be more similar than one of many', async () => {
  const few = ['velomu', 'Vilomo'] as const;
  const many = ['vorzel', 'Vercel'] as const;
  for (const [heard, name] of [few, many]) {
    expect(similarityOf(heard, name.toLowerCase())).toBeCloseTo(0.833, 3);
  }
  expect(await edits(`the ${few[0]} here`, [term(few[1])])).toEqual([]);
  expect(await edits(`the ${many[0]} here`, [term(many[1])])).toMatchObject([{ after: many[1] }]);
  // Likelier, and therefore suggested: "velmo" is 0.9 similar to "Velma".
  expect(await edits('the velmo here', [term('Velma')])).toMatchObject([{ after: 'Velma' }]);
});
