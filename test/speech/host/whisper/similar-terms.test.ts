/** Finding the key terms for which words of a window may be misheard. */
import { expect, test } from 'bun:test';
import { similarityOf } from '../../../../server/terminology/match/similarity.ts';
import {
  similarityAtLeast,
  spokenForms,
} from '../../../../server/terminology/match/spoken-forms.ts';
import { termsFinder } from '../../../../server/whisper/terms/similar-terms.ts';
import fc from 'fast-check';

test('similar-sounding terms are found, the most similar first', () => {
  const words = ['We', 'looked', 'at', 'Varsal,', 'and', 'land', 'chain', 'of', 'Model'];
  expect(termsFinder()(words, ['Kubernetes', 'LangChain', 'Vercel', 'Zod'])).toEqual([
    'LangChain',
    'Vercel',
  ]);
});

test('a term that was recognised as written is omitted', () => {
  expect(termsFinder()(['with', 'LangChain.'], ['LangChain'])).toEqual([]);
  expect(termsFinder()([], ['LangChain'])).toEqual([]);
});

test.each([
  { heard: 'base', term: 'Supabase', similarity: 0.5, isFound: true },
  { heard: 'superb', term: 'Supabase', similarity: 0.44, isFound: false },
  { heard: 'swelt', term: 'Svelte', similarity: 0.71, isFound: true },
  { heard: 'dean', term: 'Deno', similarity: 0.75, isFound: true },
  { heard: 'node', term: 'Nodes', similarity: 0.73, isFound: false },
])(
  'half as similar is enough, but not for a term of at most five letters: $heard for $term',
  ({ heard, term, similarity, isFound }) => {
    expect(similarityOf(heard, term)).toBeCloseTo(similarity, 2);
    expect(termsFinder()([heard], [term])).toEqual(isFound ? [term] : []);
  },
);

test('a term may have been heard as two words more than it has, but not as more', () => {
  const web = 'Amazon Web Services';
  const heard = ['super', 'base', 'tear', 'a', 'form'];
  expect(termsFinder()(heard, ['Supabase', 'Terraform', web])).toEqual(['Terraform', 'Supabase']);
  expect(similarityOf('k a f k a', 'Kafka')).toBeCloseTo(0.8, 2);
  expect(termsFinder()(['k', 'a', 'f', 'k', 'a'], ['Kafka', web])).toEqual([]);
});

/** Words that share letters and sounds, so that many are nearly alike. */
const word = fc.stringMatching(/^[a-eklnrstvAKLZü4 ]{1,9}$/);

test('pairs ruled out early are below the required similarity', () => {
  const formOf = spokenForms();
  fc.assert(
    fc.property(word, word, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, least) => {
      const similarity = similarityOf(a, b);
      expect(similarityAtLeast(least, formOf(a), formOf(b))).toBe(
        similarity < least ? 0 : similarity,
      );
    }),
    { numRuns: 2000 },
  );
});

test('caches from previous windows do not change the result', () => {
  const window = fc.record({ words: fc.array(word), terms: fc.array(word, { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(window, { minLength: 2, maxLength: 4 }), (windows) => {
      const find = termsFinder();
      for (const { words, terms } of windows)
        expect(find(words, terms)).toEqual(termsFinder()(words, terms));
    }),
  );
});
