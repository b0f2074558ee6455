import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { indexSounds, mostSimilar } from '../../server/terminology/match/similarity.ts';
import { term } from './made-terms.ts';
import { applyCorrections, audit, corrected, everyTerm, textOf, wordsOf } from './support.ts';

const similarities = async (text: string, minConfidence = 0.85) =>
  (await audit(wordsOf(text), { minConfidence })).corrections.map(({ before, after, decision }) => [
    before,
    after,
    decision,
  ]);

test.each([
  ['we love anthropik a lot', 'anthropik', 'Anthropic'],
  ['built by wurkos folks', 'wurkos', 'WorkOS'],
  ["it is claudflair's thing", "claudflair's", "Cloudflare's"],
  ['it is claudflair’s thing', 'claudflair’s', 'Cloudflare’s'],
])('a word that sounds like a term is shown for review: %s', async (text, before, after) => {
  expect(await similarities(text)).toEqual([[before, after, 'needs_review']]);
});

test('similarity alone is never enough, at any minimum confidence', async () => {
  expect(await corrected('we love wurkos', { minConfidence: 0 })).toBe('we love wurkos');
});

/** A text after the audit; words in angle brackets have a confidence. */
async function doubted(text: string): Promise<string> {
  const words = wordsOf(text).map((word) => {
    const [, heard = word.text, confidence] = /^<(.+):([\d.]+)>$/.exec(word.text) ?? [];
    return { ...word, text: heard, ...(confidence ? { confidence: Number(confidence) } : {}) };
  });
  return textOf(applyCorrections(words, (await audit(words)).corrections));
}

describe('a strange word that sounds like a term is corrected', () => {
  test.each([
    ['near a word of the term', 'for OIDC we took kerberuss and it worked', 'Kerberos'],
    [
      'where the term was said elsewhere',
      `Vercel came first ${'so '.repeat(30)} vercell`,
      'Vercel',
    ],
    ['where the recogniser doubted it', 'we love <Varsal:0.3> a lot', 'Vercel'],
    ['in two words', 'on the benchmark <Swi:0.15> Bench we won', 'SWE-bench'],
    ['with its possessive', "we love <vercell's:0.3> ideas", "Vercel's"],
  ])('%s', async (_why, text, name) => {
    expect((await doubted(text)).match(new RegExp(name, 'g'))).toHaveLength(
      text.includes(name) ? 2 : 1,
    );
  });

  test.each([
    ['without support', 'we love varsal a lot'],
    ['heard with confidence, near nothing', 'we love <Varsal:0.97> a lot'],
    ['English, however doubted', 'we love <versatile:0.1> ideas'],
    ['made of English', 'we love <tokenized:0.1> text and embedding models'],
    ['a name that everybody knows', "for SSO and SAML we flew to <York's:0.2> best hotel"],
    ['made with the term', 'the MCP server has <WebMCP:0.2> in it'],
    ['another acronym', 'for MFA we took <FBA:0.2> and SAML'],
  ])('but not %s', async (_why, text) => {
    expect(await doubted(text)).toBe(text.replace(/<(\S+):[\d.]+>/g, '$1'));
  });
});

test('a strange word with a confidence below one half need not be as similar as one with more', async () => {
  const found = async (confidence: number) => {
    const words = wordsOf('we love velomu a lot');
    words[2] = { ...words[2]!, confidence };
    return (await audit(words, { terms: [term('Vilomo')] })).corrections.length;
  };
  expect([await found(0.49), await found(0.5)]).toEqual([1, 0]);
});

test('a name that was split or lost its capitals is correct if the talk contains it elsewhere', async () => {
  const far = 'so '.repeat(30);
  expect(await corrected(`Durable Objects are new ${far} with durable objects we can`)).toContain(
    'with Durable Objects we can',
  );
  expect(await corrected(`with durable objects we can`)).toContain('durable objects');
});

test.each([
  // A nearby context word, or another term of the pack.
  ['we love vurzle', 'with fastmcp', 'vurzle', 'Vercel', 'needs_review'],
  ['we use key clogs', 'for oidc', 'key clogs', 'Keycloak', 'needs_review'],
  ['we have wet authen', 'and fido two', 'wet authen', 'WebAuthn', 'accepted'],
])('in context, less similarity is enough: %s', async (text, context, before, after, decision) => {
  expect(await similarities(text)).toEqual([]);
  expect(await similarities(`${text} ${context}`)).toContainEqual([before, after, decision]);
  const far = 'so '.repeat(13);
  expect(await similarities(`${text} ${far}${context}`)).not.toContainEqual([
    before,
    after,
    decision,
  ]);
});

test('a correct term is not part of a match', async () => {
  expect(await similarities('we use a PKCE flow with the OAuth verifier')).toEqual([]);
});

test.each([
  'the quick brown fox jumps over the lazy dog and then we all went home',
  'a studio is no cinema unless it shows',
  'I said what I said and it was there',
])('ordinary speech sounds like nothing: %s', async (text) => {
  expect(await similarities(text)).toEqual([]);
});

test('property: a sound with one letter less or more than a term’s still leads to the term', () => {
  const index = indexSounds(everyTerm());
  expect(index.held).toBe(0);
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
        const found = mostSimilar(index, spelling, changed, 0);
        expect(found!.similarity).toBeGreaterThan(0.8);
      },
    ),
    { numRuns: 500 },
  );
});
