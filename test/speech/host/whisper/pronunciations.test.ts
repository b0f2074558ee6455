/** Pronunciations of terms that differ from their spelling. */
import { expect, test } from 'bun:test';
import { pronunciationsOf } from '../../../../server/whisper/terms/about-terms.ts';

test('a term is pronounced as its pack lists it, in lower case and with capitals', () => {
  expect(pronunciationsOf('PKCE', 'pixie')).toEqual(['pixie', 'Pixie']);
  expect(pronunciationsOf('RAG', 'rack')).toEqual(['rack', 'Rack']);
  expect(pronunciationsOf('OneLogin', 'won')).toEqual(['won', 'Won']);
  // The spelling of the term itself is not listed again.
  expect(pronunciationsOf('redshift', 'redshift')).toEqual(['Redshift']);
  expect(pronunciationsOf('stdin', 'standard in')).toEqual(['standard in', 'Standard In']);
});

test('capitals join words', () => {
  expect(pronunciationsOf('OneLogin')).toEqual(['one login', 'One Login']);
  expect(pronunciationsOf('WorkOS Pipes')).toEqual(['work os pipes', 'Work Os Pipes']);
});

test('an acronym with a vowel between consonants may be a word', () => {
  expect(pronunciationsOf('RAG')).toEqual(['rag', 'Rag']);
  expect(pronunciationsOf('SSO')).toEqual([]);
  expect(pronunciationsOf('MFA')).toEqual([]);
});

test('a term of ordinary letters is pronounced as it is spelled', () => {
  expect(pronunciationsOf('Drata')).toEqual([]);
  expect(pronunciationsOf('embeddings')).toEqual([]);
});
