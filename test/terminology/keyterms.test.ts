import { expect, test } from 'bun:test';
import { array, assert, integer, property, string, uniqueArray } from 'fast-check';
import {
  fitKeyterms,
  KEYTERM_LIMITS,
  promptOf,
  tokensOf,
} from '../../server/terminology/keyterms.ts';
import { compileTerminology } from '../../server/terminology/compile.ts';
import { packs, request } from './support.ts';

test('a limit is kept, nothing is lost, and the order stays', () => {
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

test('a shorter term finds room where a longer one does not', () => {
  const { injected, omitted } = fitKeyterms(['MCP', 'Model Context Protocol', 'SSO'], {
    tokens: 2,
  });
  expect(injected).toEqual(['MCP', 'SSO']);
  expect(omitted).toEqual(['Model Context Protocol']);
});

test.each(['deepgram', 'assemblyai', 'whisper'] as const)(
  'all packs fit into what %s takes, and the rest is told as omitted',
  (name) => {
    const all = request({ requestedPacks: packs.map(({ id }) => id) });
    const free = compileTerminology(packs, { ...all, maxKeyterms: 1000 }).summary;
    const { summary } = compileTerminology(packs, { ...all, keytermLimit: KEYTERM_LIMITS[name] });
    expect(summary.injectedKeyterms.length).toBeLessThanOrEqual(100);
    expect(new Set([...summary.injectedKeyterms, ...summary.omittedKeyterms])).toEqual(
      new Set(free.injectedKeyterms),
    );
    const tokens = summary.injectedKeyterms.reduce((sum, term) => sum + tokensOf(term), 0);
    if (name !== 'assemblyai') expect(tokens).toBeLessThanOrEqual(KEYTERM_LIMITS[name].tokens);
    expect(summary.injectedKeyterms[0]).toBe(free.injectedKeyterms[0]);
  },
);

test('the best term stands last in a prompt', () => {
  expect(promptOf(['best', 'good', 'fair'])).toBe('fair, good, best');
});
