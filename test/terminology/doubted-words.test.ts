/**
 * Ordinary words recognised with low confidence count as a term if the talk or a near word supports
 * it.
 */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { term } from './made-terms.ts';
import { applyCorrections, everyTerm, textOf, wordsOf } from './support.ts';

const matcher = createMatcher(everyTerm());

/** Words with confidences: "skim/0.3" was recognised with 0.3, and a word without a figure with 0.95. */
const heard = (text: string): TranscriptWord[] =>
  wordsOf(text).map((word) => {
    const [said = '', confidence = '0.95'] = word.text.split('/');
    return { ...word, text: said, confidence: Number(confidence) };
  });

const decisions = (words: readonly TranscriptWord[]) =>
  decideByMatcher(matcher, words, 0.85).map(({ correction }) => correction);

const corrected = (text: string): string => {
  const words = heard(text);
  const accepted = decisions(words).filter(({ decision }) => decision === 'accepted');
  return textOf(applyCorrections(words, accepted).slice(0, words.length));
};

/** Two certain terms of the pack on identity, and more than twelve words after them. */
const IDENTITY =
  'We use SAML and OAuth here. The rest of this took us a year or so to get done at all, and then it was done.';

describe('in a talk about the subject of its pack', () => {
  test.each([
    ['It speaks skim/0.3 to them.', 'It speaks SCIM to them.'],
    ['It speaks pixie/0.4 to them.', 'It speaks PKCE to them.'],
  ])('%s', (text, right) => {
    expect(corrected(`${IDENTITY} ${text}`)).toEndWith(right);
  });

  test.each([
    'It speaks skim/0.5 to them.',
    'It speaks skim to them.',
    // A most frequent word needs more doubt.
    'We had a sample/0.25 for them.',
  ])('%s is unchanged', (text) => {
    expect(corrected(`${IDENTITY} ${text}`)).toEndWith(textOf(heard(text)));
  });

  test('a frequent word recognised with very low confidence is the term', () => {
    expect(corrected(`${IDENTITY} We had sample/0.2 for them.`)).toEndWith('We had SAML for them.');
  });

  test('words recognised with confidence elsewhere are unchanged', () => {
    const text = `${IDENTITY} We skim the list. It speaks skim/0.3 to them.`;
    expect(corrected(text)).toEndWith('It speaks skim to them.');
  });

  test('one certain term does not make a subject', () => {
    const text = `${IDENTITY.replace(' and OAuth', '')} It speaks skim/0.3 to them.`;
    expect(corrected(text)).toEndWith('It speaks skim to them.');
    expect(decisions(heard(text))).toEqual([]);
  });

  test('the terms of another pack do not support it', () => {
    const text = IDENTITY.replace('SAML and OAuth', 'Cloudflare Workers and Miniflare');
    expect(corrected(`${text} It speaks skim/0.3 to them.`)).toEndWith('skim to them.');
  });

  test('the same term twice counts once', () => {
    const text = IDENTITY.replace('OAuth', 'SAML');
    expect(corrected(`${text} It speaks skim/0.3 to them.`)).toEndWith('skim to them.');
  });
});

test('low confidence means nothing if the recogniser is unsure of nearly everything', () => {
  const all = (confidence: number) =>
    heard(`${IDENTITY} It speaks skim to them.`).map((word) => ({
      ...word,
      confidence: word.text === 'skim' ? 0.3 : confidence,
    }));
  const changed = (confidence: number) =>
    decisions(all(confidence)).filter(({ decision }) => decision === 'accepted').length;
  expect([changed(0.72), changed(0.68)]).toEqual([1, 0]);
});

test('words that only low confidence supports give way to shorter ones with a near word', () => {
  const skyhook = term('Skyhook', { mishears: ['crane hook'], risky: ['crane hook'] });
  const melvik = term('Melvik', { mishears: ['hook'], risky: ['hook'], near: ['boat'] });
  const words = heard('There is a boat with a crane/0.2 hook/0.2 here.');
  const found = decideByMatcher(createMatcher([skyhook, melvik]), words, 0.85);
  expect(found).toMatchObject([{ correction: { before: 'hook', after: 'Melvik' } }]);
});

describe('next to a near word', () => {
  test('words of low confidence are corrected', () => {
    const [one] = decisions(heard('After provisioning, so look at skim/0.6 now.'));
    expect(one).toMatchObject({ after: 'SCIM', decision: 'accepted', confidence: 0.88 });
    expect(one!.reason).toBe(
      '"skim" was recognised with low confidence and is SCIM: "provisioning" is nearby.',
    );
  });

  test('words of high confidence are shown for review', () => {
    const [one] = decisions(heard('After provisioning, so look at skim/0.65 now.'));
    expect(one).toMatchObject({ after: 'SCIM', decision: 'needs_review', confidence: 0.8 });
  });

  test.each([
    ['skim', 'needs_review', 0.8],
    ['skim/0.85', 'needs_review', 0.8],
    ['skim/0.84', 'accepted', 0.88],
  ])('if %s was recognised elsewhere, they are %s', (other, decision, confidence) => {
    const text = `We like to ${other} things. By provisioning they skim/0.3 it.`;
    expect(decisions(heard(text)).at(-1)).toMatchObject({ after: 'SCIM', decision, confidence });
  });

  test('without confidences no word is doubtful', () => {
    const [one] = decisions(wordsOf('After provisioning, so look at skim now.'));
    expect(one).toMatchObject({ decision: 'needs_review' });
  });
});

describe('a name of ordinary letters', () => {
  test.each([
    ['We wrote vectorize/0.7 ourselves.', 'We wrote Vectorize ourselves.'],
    // The recogniser wrote it as a name, whatever the talk is about.
    ['We wrote HyperDrive ourselves.', 'We wrote Hyperdrive ourselves.'],
  ])('%s', (text, right) => {
    const cloud = IDENTITY.replace('SAML and OAuth', 'Cloudflare Workers and Miniflare');
    expect(corrected(`${cloud} ${text}`)).toEndWith(right);
  });

  test('is unchanged if it was recognised with confidence', () => {
    const cloud = IDENTITY.replace('SAML and OAuth', 'Cloudflare Workers and Miniflare');
    expect(corrected(`${cloud} We wrote vectorize/0.8 ourselves.`)).toEndWith(
      'We wrote vectorize ourselves.',
    );
  });
});

test('a phrase is a name if the talk is about the subject of its pack', () => {
  const cloud = IDENTITY.replace('SAML and OAuth', 'Cloudflare Workers and Miniflare');
  const text = `${cloud} It keeps them in durable objects.`;
  expect(corrected(text)).toEndWith('in Durable Objects.');
  expect(decisions(heard(text)).at(-1)!.reason).toEndWith(
    'which belongs to the subject of the talk.',
  );
});
