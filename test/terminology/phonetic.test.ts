import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { indexSounds, likest } from '../../server/terminology/sounds.ts';
import { audit, corrected, everyTerm, wordsOf } from './support.ts';

const likenesses = async (text: string, minConfidence = 0.85) =>
  (await audit(wordsOf(text), { minConfidence })).corrections.map(({ before, after, decision }) => [
    before,
    after,
    decision,
  ]);

test.each([
  ['we love anthropik a lot', 'anthropik', 'Anthropic'],
  ['built by wurkos folks', 'wurkos', 'WorkOS'],
  ["it is claudflair's thing", "claudflair's", "Cloudflare's"],
])('what sounds like a term is left to a person: %s', async (text, before, after) => {
  expect(await likenesses(text)).toEqual([[before, after, 'needs_review']]);
});

test('it is never made, whatever the least confidence', async () => {
  expect(await corrected('we love anthropik', { minConfidence: 0 })).toBe('we love anthropik');
});

test.each([
  // A near word, or another term of the pack.
  ['we love vurzle', 'with fastmcp', 'vurzle', 'Vercel'],
  ['we use key clogs', 'for oidc', 'key clogs', 'Keycloak'],
  ['we have wet authen', 'and fido two', 'wet authen', 'WebAuthn'],
])('in context less likeness is enough: %s', async (text, context, before, after) => {
  expect(await likenesses(text)).toEqual([]);
  expect(await likenesses(`${text} ${context}`)).toContainEqual([before, after, 'needs_review']);
  const far = 'so '.repeat(13);
  expect(await likenesses(`${text} ${far}${context}`)).not.toContainEqual([
    before,
    after,
    'needs_review',
  ]);
});

test('what is right is no part of a likeness', async () => {
  expect(await likenesses('we use a PKCE flow with the OAuth verifier')).toEqual([]);
});

test.each([
  'the quick brown fox jumps over the lazy dog and then we all went home',
  'a studio is no cinema unless it shows',
  'I said what I said and it was there',
])('ordinary speech sounds like nothing: %s', async (text) => {
  expect(await likenesses(text)).toEqual([]);
});

test('property: a sound that lacks a letter of a term’s, or has one more, still leads to the term', () => {
  const index = indexSounds(everyTerm());
  const targets = [...new Set([...index.bySound.values()].flat())].filter(
    ({ sound }) => sound.length >= 3,
  );
  fc.assert(
    fc.property(
      fc.nat({ max: targets.length - 1 }),
      fc.nat({ max: 30 }),
      fc.constantFrom('', 'K', 'T', 'X'),
      (which, place, letter) => {
        const { spelling, sound } = targets[which]!;
        const at = place % sound.length;
        const changed = sound.slice(0, at) + letter + sound.slice(letter === '' ? at + 1 : at);
        const found = likest(index, spelling, changed, 0);
        expect(found!.likeness).toBeGreaterThan(0.8);
      },
    ),
    { numRuns: 500 },
  );
});
