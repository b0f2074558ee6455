import { expect, test } from 'bun:test';
import { array, assert, integer, property, string, uniqueArray } from 'fast-check';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { tokensOf } from '../../server/terminology/packs/keyterm-tokens.ts';
import { fitKeyterms, KEYTERM_LIMITS, promptOf } from '../../server/terminology/packs/keyterms.ts';
import measured from '../fixtures/keyterm-tokens.json';
import { packs, request } from './support.ts';

/**
 * Terms by script, each with its number of tokens after a space in real vocabularies: Whisper's
 * (openai-whisper 20250625, multilingual.tiktoken), and the highest of Whisper's, gpt2, cl100k_base
 * and o200k_base (js-tiktoken 1.0.21). Counted on 2026-11-22.
 */
const scripts = Object.entries(measured as unknown as Record<string, Record<string, number[]>>);
const everyMeasured = scripts.flatMap(([, terms]) => Object.entries(terms));
const count = (terms: readonly string[], at: 0 | 1): number => {
  const known = new Map(everyMeasured);
  return terms.reduce((sum, term) => sum + (known.get(term)?.[at] ?? NaN), 0);
};

test('a limit is observed, nothing is lost, and the order stays', () => {
  assert(
    property(
      uniqueArray(string({ minLength: 1, maxLength: 40 })),
      integer({ min: 0, max: 20 }),
      integer({ min: 0, max: 60 }),
      integer({ min: 1, max: 4 }),
      (terms, most, tokens, words) => {
        const { injected, omitted } = fitKeyterms(terms, { terms: most, tokens, words });
        expect(injected.length).toBeLessThanOrEqual(most);
        expect(injected.reduce((sum, term) => sum + tokensOf(term), 0)).toBeLessThanOrEqual(tokens);
        expect(injected.every((term) => term.split(/\s+/).length <= words)).toBe(true);
        expect([...injected, ...omitted].sort()).toEqual([...terms].sort());
        for (const list of [injected, omitted]) {
          expect(list).toEqual(terms.filter((term) => list.includes(term)));
        }
      },
    ),
  );
});

test('without a limit everything is injected', () => {
  assert(
    property(array(string()), (terms) => {
      expect(fitKeyterms(terms, {})).toEqual({ injected: terms, omitted: [] });
    }),
  );
});

test('a shorter term may fit where a longer one does not', () => {
  const { injected, omitted } = fitKeyterms(['MCP', 'Model Context Protocol', 'SSO'], {
    tokens: 6,
  });
  expect(injected).toEqual(['MCP', 'SSO']);
  expect(omitted).toEqual(['Model Context Protocol']);
});

// The figures of the documents, not of KEYTERM_LIMITS: docs/providers.md names the pages.
test.each([
  ['deepgram', { terms: 100, words: Infinity, tokens: 500 }],
  ['assemblyai', { terms: 200, words: 6, tokens: Infinity }],
  ['whisper', { terms: Infinity, words: Infinity, tokens: 224 }],
] as const)(
  'all packs fit into the limit of %s, and the rest is reported as omitted',
  (name, most) => {
    const all = request({ requestedPacks: packs.map(({ id }) => id) });
    const free = compileTerminology(packs, { ...all, maxKeyterms: 1000 }).summary;
    const { summary } = compileTerminology(packs, { ...all, keytermLimit: KEYTERM_LIMITS[name] });
    const { injectedKeyterms: injected } = summary;
    expect(injected.length).toBeLessThanOrEqual(Math.min(100, most.terms));
    expect(new Set([...injected, ...summary.omittedKeyterms])).toEqual(
      new Set(free.injectedKeyterms),
    );
    expect(injected.every((term) => term.split(/\s+/).length <= most.words)).toBe(true);
    expect(injected.reduce((sum, term) => sum + tokensOf(term), 0)).toBeLessThanOrEqual(
      most.tokens,
    );
    expect(injected[0]).toBe(free.injectedKeyterms[0]);
  },
);

test('a provider with a limit below maxKeyterms gets its own number', () => {
  const all = request({ requestedPacks: packs.map(({ id }) => id) });
  const { summary } = compileTerminology(packs, { ...all, keytermLimit: { terms: 3 } });
  expect(summary.injectedKeyterms).toHaveLength(3);
});

test.each(scripts)('%s is estimated as real vocabularies count it', (_script, terms) => {
  const words = Object.keys(terms);
  for (const [vocabulary, at] of [
    ['whisper', 0],
    ['unknown', 1],
  ] as const) {
    const reckoned = words.reduce((sum, term) => sum + tokensOf(term, vocabulary), 0);
    expect(reckoned).toBeGreaterThanOrEqual(count(words, at) * 0.95);
    expect(reckoned).toBeLessThanOrEqual(count(words, at) * 2);
  }
});

test.each(['Japanese', 'Chinese', 'Korean', 'Arabic', 'Russian', 'Hindi', 'Thai', 'Codes'])(
  'any mixture that begins with %s stays within 500 tokens for Deepgram and 223 for Whisper',
  (script) => {
    const own = Object.keys(measured[script as keyof typeof measured]);
    const terms = [...new Set([...own, ...everyMeasured.map(([term]) => term)])];
    const deepgram = fitKeyterms(terms, KEYTERM_LIMITS.deepgram).injected;
    expect(deepgram.length).toBeLessThanOrEqual(100);
    expect(count(deepgram, 1)).toBeLessThanOrEqual(500);
    const whisper = fitKeyterms(terms, KEYTERM_LIMITS.whisper).injected;
    expect(count(whisper, 0) + whisper.length - 1).toBeLessThanOrEqual(223);
    // The available space is used.
    expect(count(whisper, 0) + whisper.length - 1).toBeGreaterThan(223 / 2);
  },
);

test('80 Japanese terms take hundreds of tokens, and do not all fit', () => {
  const names = Array.from(
    { length: 80 },
    (_, at) => `認証基盤サービス${String.fromCodePoint(0x4e00 + at)}`,
  );
  const tokens = names.reduce((sum, term) => sum + tokensOf(term), 0);
  expect(tokens).toBeGreaterThan(500);
  expect(fitKeyterms(names, KEYTERM_LIMITS.deepgram).omitted).not.toEqual([]);
});

test('separators between terms count', () => {
  const limit = { tokens: 5, separator: 1, vocabulary: 'whisper' } as const;
  expect(fitKeyterms(['ab', 'cd', 'ef', 'gh'], limit).injected).toEqual(['ab', 'cd', 'ef']);
});

test('a term of a megabyte is estimated in linear time', () => {
  expect(tokensOf('あ'.repeat(300_000))).toBeGreaterThan(300_000);
  expect(tokensOf('')).toBe(1);
});

test('the best term comes last in a prompt', () => {
  expect(promptOf(['best', 'good', 'fair'])).toBe('fair, good, best');
});

test('a prompt for Whisper fills the 223 tokens that its decoder keeps, and no more', () => {
  const terms = ['aaaa', ...Array.from({ length: 200 }, () => 'a')];
  expect(['aaaa', 'a'].map((term) => tokensOf(term, 'whisper'))).toEqual([2, 1]);
  // 2 tokens, and 110 times a separator and one token.
  expect(fitKeyterms(terms, KEYTERM_LIMITS.whisper).injected).toHaveLength(111);
});
