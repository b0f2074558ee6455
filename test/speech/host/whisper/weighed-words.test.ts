/** The choice among weighed terms, and the text written in place of the words. */
import { describe, expect, test } from 'bun:test';
import {
  inLetters,
  similarityToTerm,
  spokenPhrases,
} from '../../../../server/whisper/terms/spoken-letters.ts';
import type { Weighed } from '../../../../server/whisper/terms/weigh-terms.ts';
import {
  countTerms,
  isTermSpoken,
  saidTerms,
  withTerms,
} from '../../../../server/whisper/terms/weighed-words.ts';

const bytes = [' we', ' use', ' the', ' plot', ' now', ' Cla', 'ude'].map((word) =>
  new TextEncoder().encode(word),
);

const weighed = (of: Partial<Weighed>): Weighed => ({
  term: 'Claude',
  tokens: [5, 6],
  first: 2,
  end: 4,
  margin: -2,
  named: 1,
  heard: 'the plot',
  similarity: 0.5,
  confidence: 0.4,
  near: false,
  ...of,
});

test('a pronunciation needs more evidence than the term, and replaces ordinary words only beside other terms', () => {
  const said = (named: number, company: number, heard = 'bigsy', saying = 'pixie') =>
    isTermSpoken(weighed({ saying, named, margin: 0, heard }), company);
  expect(said(1, 1)).toBe(true);
  expect(said(0.9, 1)).toBe(false);
  expect(isTermSpoken(weighed({ named: 0.9, margin: 0, heard: 'bigsy' }), 1)).toBe(true);
  expect(said(3, 2, 'zzag', 'rag')).toBe(true);
  expect(said(2.9, 2, 'zzag', 'rag')).toBe(false);
  expect(said(3, 1, 'the plot')).toBe(true);
  expect(said(2.9, 1, 'the plot')).toBe(false);
  expect(said(50, 0, 'the plot')).toBe(false);
  expect(said(5, 0)).toBe(true);
  expect(said(4.9, 0)).toBe(false);
});

describe('choosing', () => {
  test.each([
    ['more probable once it is named', {}, true],
    ['less probable even then', { named: -1.5 }, false],
    ['less probable, but nearly the same sound', { named: -1.5, similarity: 0.9 }, true],
    ['more probable, but quite another sound', { similarity: 0.1 }, false],
    ['far more probable, though quite another sound', { named: 4, similarity: 0.1 }, true],
    ['probable only because it is named', { margin: -9 }, false],
    ['ordinary words that were heard well', { confidence: 0.9 }, false],
    [
      'ordinary words that were heard well, and far more probable',
      { confidence: 0.9, named: 4 },
      true,
    ],
    ['strange words that were heard well', { confidence: 0.9, heard: 'clawd' }, true],
    ['a short term', { term: 'ARR' }, true],
    ['the same letters, far behind', { heard: 'claude', named: 9, margin: -1.1 }, false],
    ['the same letters, near', { heard: 'claude', margin: -0.9 }, true],
    [
      'the same words',
      { term: 'Claude Code', heard: 'claude code', similarity: 1, margin: -4 },
      true,
    ],
  ])('%s', (_, of, said) => {
    expect(isTermSpoken(weighed(of), 2)).toBe(said);
  });

  test('a term that sounds quite unlike the words was not spoken, however probable', () => {
    expect(isTermSpoken(weighed({ named: 50, similarity: 0.1 }), 2)).toBe(true);
    expect(isTermSpoken(weighed({ named: 50, similarity: 0.09 }), 2)).toBe(false);
    expect(isTermSpoken(weighed({ named: 50, similarity: 0.4 }), 0)).toBe(true);
    expect(isTermSpoken(weighed({ named: 50, similarity: 0.39 }), 0)).toBe(false);
  });

  test.each<[string, Partial<Weighed>, company: number]>([
    ['the same letters, by the margin', { heard: 'claude', margin: -1 }, 0],
    ['alone', { heard: 'zlot', named: 5 }, 0],
    ['alone and short', { term: 'ARRR', heard: 'zlot', named: 8 }, 0],
    ['beside one, and short', { term: 'ARRR', heard: 'zlot', named: 4.5 }, 1],
    ['of five letters beside one', { term: 'Azure', heard: 'zlot', named: -1 }, 1],
    ['beside one', { heard: 'zlot', named: -1 }, 1],
    ['beside three', { heard: 'zlot', named: -2 }, 3],
    ['beside three, ordinary words', { confidence: 0.5, named: -1 }, 3],
    ['ordinary words heard well', { confidence: 0.8, named: 1.5 }, 1],
    ['ordinary words heard less well', { confidence: 0.79, named: -1 }, 1],
    ['strange words heard well', { heard: 'zlot', confidence: 0.8, named: -1 }, 1],
    ['near a word that belongs to it', { heard: 'zlot', near: true, named: -5 }, 1],
    ['more alike', { heard: 'zlot', similarity: 0.75, named: -2.5 }, 1],
    ['more probable unnamed', { heard: 'zlot', margin: 4, named: -2 }, 1],
  ])('a term was said from a bound on: %s', (_, of, company) => {
    const exact = weighed({ margin: 0, ...of });
    expect(isTermSpoken(exact, company)).toBe(true);
    const bounded = exact.heard.toLowerCase() === exact.term.toLowerCase() ? 'margin' : 'named';
    expect(isTermSpoken({ ...exact, [bounded]: exact[bounded]! - 0.01 }, company)).toBe(false);
  });

  test('without a prompt, terms may be less probable than after one', () => {
    const unnamed = (margin: number, heard: string, company = 0) =>
      isTermSpoken(weighed({ named: null, margin, heard }), company);
    expect(unnamed(-6, 'zlot')).toBe(true);
    expect(unnamed(-6.1, 'zlot')).toBe(false);
    expect(unnamed(-9, 'zlot', 1)).toBe(true);
    expect(unnamed(-9.1, 'zlot', 1)).toBe(false);
    // In another case, unless it is an ordinary word.
    const inCase = (margin: number, term: string, heard: string) =>
      isTermSpoken(weighed({ named: null, margin, term, heard, similarity: 1 }), 0);
    expect(inCase(-9, 'Audit Logs', 'audit logs')).toBe(true);
    expect(inCase(-9, 'Miniflare', 'miniflare')).toBe(true);
    expect(inCase(-9.1, 'Miniflare', 'miniflare')).toBe(false);
    expect(inCase(-1.1, 'Cursor', 'cursor')).toBe(false);
  });

  test('a near word counts as evidence, and so does the company of many terms', () => {
    const said = (named: number, company: number, of: Partial<Weighed> = {}) =>
      isTermSpoken(weighed({ named, margin: 0, heard: 'zlot', ...of }), company);
    expect(said(-1.1, 2)).toBe(false);
    expect(said(-1.1, 2, { near: true })).toBe(true);
    expect(said(-4.9, 2, { near: true })).toBe(true);
    expect(said(-5.1, 2, { near: true })).toBe(false);
    expect(said(-1.9, 3)).toBe(true);
    expect(said(-2.1, 3)).toBe(false);
    expect(said(0, 3, { saying: 'clawed' })).toBe(true);
    expect(said(-0.1, 3, { saying: 'clawed' })).toBe(false);
    const doubted = { heard: 'the plot', confidence: 0.49 };
    expect(said(-1.9, 3, doubted)).toBe(true);
    expect(said(-1.9, 3, { ...doubted, confidence: 0.5 })).toBe(false);
    expect(said(-4.9, 3, { ...doubted, confidence: 0.5, near: true })).toBe(true);
    expect(said(2, 3, { ...doubted, saying: 'clawed' })).toBe(true);
    expect(said(1.9, 3, { ...doubted, saying: 'clawed' })).toBe(false);
  });

  test('without another term in the window more evidence is needed, above all for short terms', () => {
    expect(isTermSpoken(weighed({ named: 5 }), 0)).toBe(false);
    expect(isTermSpoken(weighed({ named: 6 }), 0)).toBe(true);
    expect(isTermSpoken(weighed({ term: 'ARR', named: 6 }), 0)).toBe(false);
    expect(isTermSpoken(weighed({ term: 'ARR', named: 9 }), 0)).toBe(true);
  });

  test('terms with much evidence support other terms', () => {
    const strong = weighed({ first: 0, end: 1, named: 6 });
    const other = weighed({ first: 1, end: 2, named: 3 });
    const weak = weighed({ term: 'ARR', named: 1.5 });
    expect(saidTerms([weak], 0)).toEqual([]);
    expect(saidTerms([weak, strong], 0)).toEqual([strong]);
    expect(saidTerms([weak, strong], 1)).toEqual([strong, weak]);
    expect(saidTerms([other, weak, strong], 0)).toEqual([strong, other, weak]);
  });

  test.each([
    ['We use Claude.', 1],
    ['We use “Claude Code”, often', 1],
    ['Claude and Claude Code', 2],
    ['We use claude', 0],
    ['We use Claudes', 0],
    ['We take REST', 0],
  ])('the number of terms in “%s” is %i', (text, count) => {
    const words = text.split(' ').map((word) => ({ text: word }));
    expect(countTerms(words, ['Claude', 'Claude Code', 'REST'])).toBe(count);
  });

  test('among terms that overlap, similarity counts as well as the margin', () => {
    const whole = weighed({ term: 'Claude Code', first: 3, end: 5, named: 1, similarity: 0.9 });
    const part = weighed({ first: 3, end: 5, named: 2, similarity: 0.58 });
    const other = weighed({ first: 0, end: 1 });
    expect(saidTerms([part, whole, other], 1)).toEqual([other, whole]);
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
    const phraseOf = spokenPhrases();
    const similarity = (words: string, term: string, least?: number) =>
      similarityToTerm(phraseOf(words), phraseOf(term), least);
    expect(similarity('em see pea', 'MCP')).toBeGreaterThan(0.8);
    expect(similarity('the LG', 'PLG')).toBeGreaterThan(0.7);
    expect(similarity('clawed', 'Claude')).toBeGreaterThan(0.5);
    expect(similarity('banana', 'MCP')).toBeLessThan(0.4);
    expect(similarity('clawed', 'Claude', 0.99)).toBe(0);
  });
});
