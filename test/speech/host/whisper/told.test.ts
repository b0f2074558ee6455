/** Telling Whisper key terms: which ones, and as which tokens. */
import { expect, test } from 'bun:test';
import {
  createTokenizer,
  promptTokens,
  termsAlike,
} from '../../../../server/speech/host/whisper/told.ts';
import { likenessAtLeast, likenessOf, spokenForms } from '../../../../server/terminology/sounds.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All single bytes, and some longer tokens; a lower number was joined earlier. */
const vocabulary = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  ...['th', 'he', ' t', 'the', ' th', ' the', ' K', 'it', ' Kit'].map(bytesOf),
];
const textOf = (ids: readonly number[]): string =>
  new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => [...vocabulary[id]!])));

test('the pair with the lowest number is joined first', () => {
  const tokens = createTokenizer(vocabulary);
  // "th" comes before " t", so " the" is " " + "the" and then one token.
  expect(tokens('the the Kit')).toEqual([259, 261, 264]);
});

test('every text comes back from its tokens', () => {
  const tokens = createTokenizer(vocabulary);
  for (const text of [" AuthKit's 42, ok?", ' Zürich  日本', ' a\n b '])
    expect(textOf(tokens(text))).toBe(text);
});

test('terms that something sounds like are told, the most similar first', () => {
  const words = ['We', 'looked', 'at', 'Varsal,', 'and', 'land', 'chain', 'of', 'Model'];
  expect(termsAlike(words, ['Kubernetes', 'LangChain', 'Vercel', 'Zod'])).toEqual([
    'LangChain',
    'Vercel',
  ]);
});

test('a term that was heard as it is written is not told', () => {
  expect(termsAlike(['with', 'LangChain.'], ['LangChain'])).toEqual([]);
  expect(termsAlike([], ['LangChain'])).toEqual([]);
});

test('pairs that are ruled out by their letters are less alike than asked', () => {
  const texts = [
    'Varsal',
    'Vercel',
    'land chain',
    'LangChain',
    'Model',
    'zod',
    'Q',
    '42',
    'Zürich',
  ];
  const formOf = spokenForms();
  for (const a of texts)
    for (const b of texts)
      for (const least of [0, 0.3, 0.5, 0.75, 1]) {
        const likeness = likenessOf(a, b);
        expect(likenessAtLeast(least, formOf(a), formOf(b))).toBe(likeness < least ? 0 : likeness);
      }
});

test('the best terms come last, and those beyond the limit are left out', () => {
  const terms = ['First', ...Array.from({ length: 200 }, (_, at) => `Term number ${at}`)];
  const text = textOf(promptTokens(terms, createTokenizer(vocabulary)));
  expect(text).toEndWith(', First.');
  expect(text).not.toContain('number 199');
  expect(promptTokens([], createTokenizer(vocabulary))).toEqual([]);
});
