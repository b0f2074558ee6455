/** Adding terms to the glossary field and removing them. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { trimmedTerms } from '../../../server/contract/glossary.ts';
import { hasTerm, withoutTerm, withTerms } from '../../../web/start/glossary-text.ts';

test('a term is added on a separate line, once', () => {
  expect(withTerms('', ['AuthKit'])).toBe('AuthKit');
  expect(withTerms('WorkOS, SCIM\n', ['AuthKit', 'SCIM', 'Ada Lovelace'])).toBe(
    'WorkOS, SCIM\nAuthKit\nAda Lovelace',
  );
});

test('a term is removed, and the others keep their separators', () => {
  expect(withoutTerm('WorkOS, SCIM; AuthKit\nAda', 'SCIM')).toBe('WorkOS; AuthKit\nAda');
  expect(withoutTerm('WorkOS, SCIM', 'WorkOS')).toBe(' SCIM');
  expect(withoutTerm('SCIMS', 'SCIM')).toBe('SCIMS');
  expect(withoutTerm('SCIM', 'SCIM')).toBe('');
});

const terms = fc.array(fc.stringMatching(/^[A-Za-z]{1,6}$/), { maxLength: 6 });
const separators = fc.constantFrom(',', ';', '\n', ', ', ' ;\n');

test('ticked terms are in the list, and unticking restores the rest', () => {
  fc.assert(
    fc.property(terms, separators, fc.stringMatching(/^[A-Za-z]{1,6}$/), (known, by, term) => {
      const glossary = known.join(by);
      const taken = withTerms(glossary, [term]);
      expect(hasTerm(taken, term)).toBe(true);
      const others = trimmedTerms(glossary).filter((one) => one !== term);
      expect(trimmedTerms(withoutTerm(taken, term))).toEqual(others);
    }),
  );
});
