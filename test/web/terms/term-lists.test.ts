/** Converting a term between the service and the form that edits it. */
import { expect, test } from 'bun:test';
import type { WorkspaceTerm } from '../../../server/contract/workspace-terms.ts';
import { listOf, termOf, typedOf } from '../../../web/terms/term-lists.ts';

const scim: WorkspaceTerm = {
  canonical: 'SCIM',
  kind: 'acronym',
  mishears: ['skim', 's c i m'],
  risky: ['skim'],
  near: ['provisioning'],
  confirmed: ['skim'],
  aliases: ['System for Cross-domain Identity Management'],
  say: 'skim',
  weight: 7,
  keyterm: false,
  note: 'Not the verb.',
};

test('a list is read without blanks and duplicates', () => {
  expect(listOf(' skim, s c i m,,skim ')).toEqual(['skim', 's c i m']);
});

test('an unchanged form yields the same term, from a person', () => {
  expect(
    termOf({ ...scim, source: { kind: 'import', at: '2026-11-22T00:00:00Z' } }, typedOf(scim)),
  ).toEqual(scim);
  const plain = { canonical: 'Zyphora' };
  expect(termOf(plain, typedOf(plain))).toEqual(plain);
});

test('an ordinary word is a mishear, and no longer a confirmed one if it was removed', () => {
  const typed = typedOf(scim);
  const changed = termOf(scim, { ...typed, mishears: 's c i m', risky: 'scheme', kind: '' });
  expect(changed).toMatchObject({ mishears: ['s c i m', 'scheme'], risky: ['scheme'] });
  expect(changed).not.toHaveProperty('confirmed');
  expect(changed).not.toHaveProperty('kind');
  expect(termOf(scim, { ...typed, risky: '' })).not.toHaveProperty('confirmed');
});

test('a new term has the typed text, trimmed, and nothing else', () => {
  const typed = { ...typedOf(null), canonical: ' Zyphora ', near: 'crystal, ', note: ' ' };
  expect(termOf(null, typed)).toEqual({ canonical: 'Zyphora', near: ['crystal'] });
});
