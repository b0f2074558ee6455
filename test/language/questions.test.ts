/** Questions to a model and answers read from its text: every field of each. */
import { expect, test } from 'bun:test';
import { ask } from '../../server/language/model-auditor.ts';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import type { Draft } from '../../server/terminology/decide/decide.ts';
import { wordsOf } from '../terminology/support.ts';

const term = (more: Partial<ActiveTerm> = {}): ActiveTerm =>
  ({
    canonical: 'Okta',
    category: 'product_name',
    mishears: [],
    aliases: [],
    ...more,
  }) as ActiveTerm;
const draft = (firstWord: number, lastWord = firstWord, more: Partial<ActiveTerm> = {}): Draft =>
  ({
    correction: { firstWord, lastWord, before: `heard ${firstWord}` },
    match: { term: term(more) },
  }) as Draft;

test('a question has the words and candidates of its windows, and each term once', () => {
  const okta = term({
    mishears: Array.from({ length: 9 }, (_, at) => `m${at}`),
    aliases: ['Octa'],
    note: 'a company',
  });
  const of = (at: number, last: number, meant: ActiveTerm): Draft => ({
    ...draft(at, last),
    match: { term: meant } as Draft['match'],
  });
  const [first, second, third] = [
    of(3, 4, okta),
    of(8, 8, okta),
    of(9, 9, term({ canonical: 'SCIM' })),
  ];
  const words = wordsOf(Array.from({ length: 12 }, (_, at) => `w${at}`).join(' '));
  words[2] = { ...words[2]!, text: ' w2 ', confidence: 0.44 };
  words[3] = { ...words[3]!, confidence: 0.5 };
  const question = ask(
    [
      { first: 2, last: 4, candidates: [first] },
      { first: 8, last: 9, candidates: [second, third] },
    ],
    words,
  );
  expect(JSON.parse(question.text)).toEqual({
    terms: [
      {
        term: 'Okta',
        kind: 'product_name',
        mishears: ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'],
        acceptedForms: ['Octa'],
        note: 'a company',
      },
      { term: 'SCIM', kind: 'product_name' },
    ],
    windows: [
      {
        words: [
          [0, 'w2', 0.4],
          [1, 'w3'],
          [2, 'w4'],
        ],
        candidates: [{ id: 'c1', startIndex: 1, endIndex: 2, original: 'heard 3', term: 'Okta' }],
      },
      {
        words: [
          [3, 'w8'],
          [4, 'w9'],
        ],
        candidates: [
          { id: 'c2', startIndex: 3, endIndex: 3, original: 'heard 8', term: 'Okta' },
          { id: 'c3', startIndex: 4, endIndex: 4, original: 'heard 9', term: 'SCIM' },
        ],
      },
    ],
  });
  expect([...question.candidates]).toEqual([
    ['c1', first],
    ['c2', second],
    ['c3', third],
  ]);
  expect(question.terms.map(({ canonical }) => canonical)).toEqual(['Okta', 'SCIM']);
});
