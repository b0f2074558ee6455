import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { validator } from '../../server/contract/schema.ts';
import { CompiledTerminology } from '../../server/contract/terminology.ts';
import {
  compileTerminology,
  type TerminologyRequest,
} from '../../server/terminology/packs/compile.ts';
import type { TermPack } from '../../server/terminology/packs/packs.ts';
import { packs, request } from './support.ts';

setDefaultTimeout(300_000);

const pack = (id: string, given: Partial<TermPack>): TermPack => ({
  id,
  version: 1,
  title: id,
  triggers: [],
  relatedPackIds: [],
  terms: [],
  ...given,
});
const term = (canonical: string, weight: number, more = {}) => ({
  canonical,
  kind: 'technical_term' as const,
  weight,
  ...more,
});

const small = [
  pack('a', {
    triggers: ['alpha', 'café noir'],
    relatedPackIds: ['b'],
    terms: [term('Ay', 4), term('Shared', 3, { mishears: ['chaired'] })],
  }),
  pack('b', {
    triggers: ['beta'],
    relatedPackIds: ['c'],
    terms: [term('Bee', 9), term('Shared', 8, { mishears: ['shard'], risky: ['shard'] })],
  }),
  pack('c', { triggers: ['gamma'], terms: [term('Sea', 10, { keyterm: false }), term('Cee', 1)] }),
];
const compile = (given: Partial<TerminologyRequest>) => compileTerminology(small, request(given));
const selected = (given: Partial<TerminologyRequest>): string[] =>
  compile(given).summary.selectedPacks;

describe('selection', () => {
  test.each([
    ['topic', { topic: 'About Alpha, again' }],
    ['accents and case', { topic: 'CAFE  Noir' }],
    ['filename, split', { filename: '2026_alpha-talk.v2.mp3' }],
    ['glossary', { glossary: ['x', 'Alpha'] }],
    ['keyterms', { keyterms: ['the alpha thing'] }],
    ['possessive', { topic: "Alpha's day" }],
  ])('by %s', (_, given) => {
    expect(selected(given)).toEqual(['a', 'b']);
  });

  test.each([
    ['a part of a word', { topic: 'alphabet' }],
    ['a phrase over two sources', { topic: 'café', glossary: ['noir'] }],
    ['include, which only adds terms', { include: ['alpha'] }],
    ['nothing', {}],
  ])('not by %s', (_, given) => {
    expect(selected(given)).toEqual([]);
  });

  test('related packs are included, but not those related to them', () => {
    expect(selected({ topic: 'alpha' })).toEqual(['a', 'b']);
    expect(selected({ topic: 'alpha beta' })).toEqual(['a', 'b', 'c']);
  });

  test('only requested packs are used, in their order, with related ones', () => {
    expect(selected({ requestedPacks: ['c', 'a', 'c'], topic: 'nothing' })).toEqual([
      'c',
      'a',
      'b',
    ]);
    expect(selected({ requestedPacks: ['c'], topic: 'alpha' })).toEqual(['c']);
    expect(compile({ requestedPacks: ['c', 'c'] }).summary.requestedPacks).toEqual(['c' as never]);
  });
});

describe('ranking', () => {
  test('packs by weight, halved for related ones', () => {
    const { summary, terms } = compile({ topic: 'alpha' });
    expect(summary.injectedKeyterms).toEqual(['Bee', 'Ay', 'Shared']);
    expect(terms.map(({ weight }) => weight)).toEqual([4.5, 4, 4]);
  });

  test('explicit terms first: glossary, include, keyterms', () => {
    const { summary } = compile({
      topic: 'alpha',
      keyterms: ['Kay', 'Gee'],
      include: ['Eye', 'Bee'],
      glossary: ['Gee', 'gee', 'Elle'],
    });
    expect(summary.explicitTerms).toEqual(['Gee', 'Elle', 'Eye', 'Bee', 'Kay']);
    expect(summary.injectedKeyterms).toEqual(['Gee', 'Elle', 'Eye', 'Bee', 'Kay', 'Ay', 'Shared']);
  });

  test('terms that are not key terms are only for the audit', () => {
    const { summary } = compile({ requestedPacks: ['c'] });
    expect(summary.injectedKeyterms).toEqual(['Cee']);
    expect(summary.auditTerms).toEqual(['Sea', 'Cee']);
  });

  test('terms above maxKeyterms are reported', () => {
    const { summary } = compile({ topic: 'alpha', glossary: ['Gee'], maxKeyterms: 2 });
    expect(summary.injectedKeyterms).toEqual(['Gee', 'Bee']);
    expect(summary.omittedKeyterms).toEqual(['Ay', 'Shared']);
    expect(summary.auditTerms).toHaveLength(4);
  });
});

describe('terms', () => {
  test('exclude removes a term from every list, whatever its source', () => {
    const { summary, terms } = compile({
      topic: 'alpha',
      include: ['Eye'],
      exclude: ['AY', 'eye'],
    });
    expect(summary.explicitTerms).toEqual([]);
    expect([...summary.auditTerms, ...summary.injectedKeyterms]).not.toContain('Ay');
    expect(terms.map(({ canonical }) => canonical)).toEqual(['Bee', 'Shared']);
  });

  test('exclude removes a surface from the mishears', () => {
    const { terms } = compile({ topic: 'alpha', exclude: ['Chaired'] });
    expect(terms.find(({ canonical }) => canonical === 'Shared')?.mishears).toEqual(['shard']);
  });

  test('exclude removes a surface of the workspace, however it is written', () => {
    const own = {
      terms: [term('Cafetière', 5, { mishears: ['Café-Tier', 'coffee tear'] })],
      never: [],
      rules: [],
    };
    const { terms } = compile({ own, exclude: ['cafe tier'] });
    expect(terms[0]?.mishears).toEqual(['coffee tear']);
  });

  test('a term in two packs has the data of both', () => {
    const { terms } = compile({ topic: 'alpha' });
    expect(terms.find(({ canonical }) => canonical === 'Shared')).toMatchObject({
      mishears: ['chaired', 'shard'],
      risky: ['shard'],
      packIds: ['a', 'b'],
    });
  });

  test('the spelling of the request takes precedence, unless it has no capital', () => {
    const known = ({ glossary }: { glossary: string[] }) =>
      compile({ topic: 'alpha', glossary }).terms[0];
    expect(known({ glossary: ['BEE'] })).toMatchObject({ canonical: 'BEE', packIds: ['b'] });
    expect(known({ glossary: ['bee'] })).toMatchObject({ canonical: 'Bee', explicit: true });
  });

  test('a term that the request writes in two ways is one term, in the first way', () => {
    const { summary } = compile({ topic: 'alpha', glossary: ['ShaRed', 'Sha Red'] });
    expect(summary.auditTerms).toEqual(['ShaRed', 'Bee', 'Ay']);
    expect(summary.injectedKeyterms).toEqual(['ShaRed', 'Bee', 'Ay']);
  });
});

const names = fc.array(fc.constantFrom('AuthKit', 'MCP', 'mcp', 'R2', 'Zed', 'é', '!!'), {
  maxLength: 4,
});

test('the spaces within a term are single', () => {
  const { summary } = compileTerminology(
    [],
    request({ glossary: [' Zero \t Trust ', 'zero trust'] }),
  );
  expect(summary.explicitTerms).toEqual(['Zero Trust']);
});

test('terms without letters are told apart by their signs', () => {
  const { summary } = compileTerminology([], request({ glossary: ['++', '->', '++'] }));
  expect(summary.explicitTerms).toEqual(['++', '->']);
});

test('any request compiles to valid terms, always the same', () => {
  const requests = fc.record({
    requestedPacks: fc.subarray(packs.map(({ id }) => id)),
    topic: fc.constantFrom('', 'MCP Night', 'r2 & authkit', 'x'),
    glossary: names,
    keyterms: names,
    include: names,
    exclude: names,
    maxKeyterms: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(requests, (given) => {
      const compiled = compileTerminology(packs, given);
      expect(validator(CompiledTerminology).issues(compiled.summary)).toEqual([]);
      expect(compileTerminology(packs, structuredClone(given))).toEqual(compiled);
      expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
      expect(compiled.summary.injectedKeyterms.length).toBeLessThanOrEqual(given.maxKeyterms);
    }),
    { numRuns: 60 },
  );
});
