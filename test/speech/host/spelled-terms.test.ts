/** Key terms in the notation of a transducer's search. */
import { expect, test } from 'bun:test';
import { spellingOf, writtenTerms } from '../../../server/speech/host/sherpa-recognisers.ts';
import fc from 'fast-check';

const tokens = ['<unk>', '▁', ...'abcdeknorstuwAKWOS', '▁the', '<blk>']
  .map((token, id) => `${token} ${id}\n`)
  .join('');

test('terms that cannot be written or spelled are omitted', () => {
  expect(writtenTerms(['WorkOS', 'C#', 'CI/CD', ':3', 'Zoo', 'the  bar', ''], tokens)).toBe(
    'WorkOS',
  );
  expect(writtenTerms(['WorkOS', 'Ak node'], tokens)).toBe('WorkOS/Ak node');
  expect(writtenTerms([], tokens)).toBeNull();
  expect(writtenTerms(['WorkOS'], '')).toBeNull();
});

test('the vocabulary ranks tokens by their number, without the blank', () => {
  expect(spellingOf('<unk> 0\n▁the 1\na 2\n<blk> 3\n')).toBe('<unk>\t0\n▁the\t-1\na\t-2\n');
});

test('no term contains a sign of the notation', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }), (terms) => {
      const every = [...new Set(terms.join(''))].filter((letter) => !/\s/.test(letter));
      const all = ['▁', ...every].map((token, id) => `${token} ${id}`).join('\n');
      const written = writtenTerms(terms, all);
      for (const term of written?.split('/') ?? []) {
        expect(terms.map((each) => each.replace(/\s+/g, ' ').trim())).toContain(term);
        expect(term).not.toMatch(/(^| )[:#@]/);
      }
    }),
  );
});
