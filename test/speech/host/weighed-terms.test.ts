/** Terms that the sound of a window makes probable, in place of its words. */
import { expect, test } from 'bun:test';
import {
  combineRecognitions,
  takeWeighed,
} from '../../../server/speech/host/combine-recognitions.ts';
import { textOf as text, timedWords as words } from './timed-text.ts';

const TERMS = ['AuthKit', 'Model Context Protocol', 'WorkOS', 'Kubernetes', 'SCIM'];

const weighed = (plain: string, with_: string) => takeWeighed(words(plain), words(with_), TERMS);

test.each([
  ['we had a plot today', 'we had a SCIM today', 1],
  ['we use the plot here', 'we use AuthKit here', 2],
  ['a modal contact protocol is', 'a Model Context Protocol is', 3],
  ['we work us', 'we WorkOS', 2],
  ['off kit, and more', 'AuthKit, and more', 2],
  ['we use authkit, and more', 'we use AuthKit, and more', 1],
])('%s, %s: %i words replaced, however unlike they sound', (plain, with_, replaced) => {
  const combined = weighed(plain, with_);
  expect(text(combined.words)).toBe(with_);
  expect(combined.replaced).toBe(replaced);
});

test('a term that was recognised correctly replaces nothing', () => {
  const plain = words('we use AuthKit here');
  expect(takeWeighed(plain, plain, TERMS)).toEqual({ words: plain, replaced: 0 });
});

test('a term has the times and the confidence of the words in whose place it was weighed', () => {
  const plain = words('we use the plot here', 0.42);
  const combined = takeWeighed(plain, words('we use SCIM here', 1), TERMS);
  expect(combined.words[2]).toEqual({
    text: 'SCIM',
    start: plain[2]!.start,
    end: plain[3]!.end,
    confidence: 0.42,
  });
});

test.each([
  ['we off kit plot go', 'we AuthKit _ SCIM go', 3],
  ['off kit, work us.', 'AuthKit, _ WorkOS. _', 4],
  ['we off kit modal Context Protocol', 'we AuthKit _ Model Context Protocol', 5],
  ['we plot SCIM', 'we AuthKit SCIM', 1],
])('%s: terms that follow each other divide the words', (plain, with_, replaced) => {
  const found = words(with_).filter(({ text: own }) => own !== '_');
  // A tenth of a second earlier or later makes no difference.
  for (const by of [-0.1, 0, 0.1]) {
    const timed = found.map((word) => ({ ...word, start: word.start + by }));
    const combined = takeWeighed(words(plain), timed, TERMS);
    expect(text(combined.words)).toBe(text(found));
    expect(combined.words.map(({ start }) => start)).toEqual(found.map(({ start }) => start));
    expect(combined.replaced).toBe(replaced);
  }
});

test.each([-0.5, 0.5])('terms that follow each other stay, though timed wrong by %d s', (by) => {
  const found = words('we AuthKit SCIM go').map((word) => ({ ...word, start: word.start + by }));
  const combined = takeWeighed(words('we off plot go'), found, TERMS);
  expect([text(combined.words), combined.replaced]).toEqual(['we AuthKit SCIM go', 2]);
});

test('a term replaces the same words if it was timed later, and none where there are none', () => {
  const later = words('we use SCIM here').map((word) => ({ ...word, start: word.start + 0.25 }));
  expect(text(takeWeighed(words('we use the plot here'), later, TERMS).words)).toBe(text(later));
  const plain = words('we use');
  expect(takeWeighed(plain, words('we SCIM use'), TERMS)).toEqual({ words: plain, replaced: 0 });
});

test('a term of signs alone is none', () => {
  const plain = words('we – go');
  expect(takeWeighed(plain, words('we … go'), ['…']).words).toEqual(plain);
});

test('a term has no confidence if one of the words in its place has none', () => {
  const [first, second] = words('work us', 0.5);
  delete second!.confidence;
  const combined = takeWeighed([first!, second!], words('WorkOS'), TERMS);
  expect(combined.words).toEqual([{ text: 'WorkOS', start: first!.start, end: second!.end }]);
});

test('a second search replaces no term that was taken before', () => {
  const biased = words('we use AuthKits here');
  const after = (plain: string) =>
    text(combineRecognitions(words(plain), biased, [...TERMS, 'AuthKits']).words);
  expect(after('we use AuthKit here')).toBe('we use AuthKit here');
  expect(after('we use off kits here')).toBe('we use AuthKits here');
});
