/** How terms may be said where that differs from how they are written. */
import { expect, test } from 'bun:test';
import { sayingsOf } from '../../../../server/speech/host/whisper/sayings.ts';

test('a term is said as its pack lists it, in either case', () => {
  expect(sayingsOf('PKCE', 'pixie')).toEqual(['pixie', 'Pixie']);
  expect(sayingsOf('stdin', 'standard in')).toEqual(['standard in', 'Standard In']);
});

test('capitals join words', () => {
  expect(sayingsOf('OneLogin')).toEqual(['one login', 'One Login']);
  expect(sayingsOf('WorkOS Pipes')).toEqual(['work os pipes', 'Work Os Pipes']);
});

test('an acronym with a vowel between consonants may be a word', () => {
  expect(sayingsOf('RAG')).toEqual(['rag', 'Rag']);
  expect(sayingsOf('SSO')).toEqual([]);
  expect(sayingsOf('MFA')).toEqual([]);
});

test('a term of ordinary letters is said as it is written', () => {
  expect(sayingsOf('Drata')).toEqual([]);
  expect(sayingsOf('embeddings')).toEqual([]);
});
