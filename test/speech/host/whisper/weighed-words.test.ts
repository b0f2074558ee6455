/** Which of the terms that were weighed are taken, and what is written in place of the words. */
import { describe, expect, test } from 'bun:test';
import type { Weighed } from '../../../../server/speech/host/whisper/weigh-terms.ts';
import {
  isSaid,
  saidTerms,
  withTerms,
} from '../../../../server/speech/host/whisper/weighed-words.ts';
import {
  inLetters,
  likenessToTerm,
} from '../../../../server/speech/host/whisper/spoken-letters.ts';

const bytes = [' we', ' use', ' the', ' plot', ' now', ' Cla', 'ude'].map((word) =>
  new TextEncoder().encode(word),
);

const weighed = (of: Partial<Weighed>): Weighed => ({
  term: 'Claude',
  tokens: [5, 6],
  first: 2,
  end: 4,
  margin: -2,
  heard: 'the plot',
  likeness: 0.6,
  confidence: 0.4,
  ...of,
});

describe('choosing', () => {
  test.each([
    ['near enough', {}, true],
    ['ordinary words that were heard well', { confidence: 0.9 }, false],
    ['strange words that were heard well', { confidence: 0.9, heard: 'clawd' }, true],
    ['far behind', { margin: -5 }, false],
    ['words that sound a little like the term', { likeness: 0.35, margin: -1 }, true],
    ['strange words, a little farther behind', { margin: -5, heard: 'clawd' }, true],
    ['words that sound unlike the term', { likeness: 0.1, margin: 3 }, false],
    ['a short term, a little behind', { term: 'ARR', margin: -3.4 }, false],
    ['the same letters, far behind', { heard: 'claude', margin: -1.1 }, false],
    ['the same letters, near', { heard: ' claude', margin: -0.9 }, true],
    ['a short term, nearer', { term: 'ARR', margin: -2.4 }, true],
  ])('%s', (_, of, said) => {
    expect(isSaid(weighed(of))).toBe(said);
  });

  test('of terms that overlap, likeness counts beside the margin', () => {
    const whole = weighed({ term: 'Claude Code', first: 3, end: 5, margin: -3.3, likeness: 0.9 });
    const part = weighed({ first: 3, end: 5, margin: -2.3, likeness: 0.58 });
    const other = weighed({ first: 0, end: 1 });
    expect(saidTerms([part, whole, other])).toEqual([other, whole]);
  });

  test('a term is written in place of the tokens, within their time', () => {
    const tokens = [0, 1, 2, 3, 4].map((id, at) => ({
      bytes: bytes[id]!,
      start: at,
      logProbability: -at,
    }));
    const out = withTerms(tokens, [weighed({})], bytes);
    const text = out.map((token) => new TextDecoder().decode(token.bytes));
    expect(text.join('')).toBe(' we use Claude now');
    expect(out.map(({ start }) => start)).toEqual([0, 1, 2, 3, 4]);
    expect(out.map(({ logProbability }) => logProbability)).toEqual([-0, -1, -2.5, -2.5, -4]);
    expect(withTerms(tokens, [], bytes)).toEqual(tokens);
  });
});

describe('terms spoken letter by letter', () => {
  test.each([
    ['B2B', 'bee two bee'],
    ['MCP server', 'em see pee server'],
    ['SOC 2', 'ess oh see two'],
    ['Claude', null],
    ['AuthKit', null],
    ['ISO 27001', 'eye ess oh two seven zero zero one'],
  ])('%s: %p', (term, spoken) => {
    expect(inLetters(term)).toBe(spoken);
  });

  test('words that sound like the letters are like the term', () => {
    expect(likenessToTerm('em see pea', 'MCP')).toBeGreaterThan(0.8);
    expect(likenessToTerm('the LG', 'PLG')).toBeGreaterThan(0.7);
    expect(likenessToTerm('clawed', 'Claude')).toBeGreaterThan(0.5);
    expect(likenessToTerm('banana', 'MCP')).toBeLessThan(0.4);
  });
});
