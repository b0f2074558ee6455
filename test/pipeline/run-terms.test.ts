/** The terms of a run: every list of the request counts, and no run gets another workspace's terms. */
import { expect, test } from 'bun:test';
import { resolvePayload, type CaptionerPayload } from '../../server/contract/payload.ts';
import { compileForRun } from '../../server/pipeline/terminology.ts';
import type { OwnTerm } from '../../server/terminology/packs/own-terms.ts';
import type { TermPack } from '../../server/terminology/packs/pack.ts';

const pack: TermPack = {
  id: 'night',
  version: 1,
  title: 'Night',
  triggers: ['mcp night'],
  relatedPackIds: [],
  terms: [
    { canonical: 'AuthKit', kind: 'product_name', weight: 8, mishears: ['off kit', 'awl kit'] },
    { canonical: 'Vault', kind: 'product_name', weight: 4 },
  ],
};
const packs = [pack];
const request = (payload: Partial<CaptionerPayload>) =>
  resolvePayload({ audio: { key: 'a.mp3' }, ...payload });
const own = (canonical: string): OwnTerm => ({ canonical, kind: 'person_name', weight: 10 });
const ownTerms = (canonical: string) => ({ terms: [own(canonical)], never: [], rules: [] });

test('the filename selects packs', () => {
  const audio = { key: 'a.mp3', filename: 'MCP Night 12.mp3' };
  expect(compileForRun(packs, request({ audio })).summary.selectedPacks).toEqual([
    'night',
  ] as never);
  expect(compileForRun(packs, request({})).summary.selectedPacks).toEqual([]);
});

test('glossary, include, keyterms and exclude count', () => {
  const { summary, terms } = compileForRun(
    packs,
    request({
      topic: 'MCP Night',
      glossary: ['Ada'],
      transcription: { keyterms: ['Lovelace'] },
      terminology: { include: ['Babbage'], exclude: ['Vault', 'awl kit'] },
    }),
  );
  expect(summary.explicitTerms).toEqual(['Ada', 'Babbage', 'Lovelace']);
  expect(summary.auditTerms).toEqual(['Ada', 'Babbage', 'Lovelace', 'AuthKit']);
  expect(terms.at(-1)?.mishears).toEqual(['off kit']);
});

test("maxKeyterms and the recogniser's limit both apply", () => {
  const glossary = ['One', 'Two', 'Three'];
  const injected = (maxKeyterms: number, terms: number) =>
    compileForRun(packs, request({ glossary, terminology: { maxKeyterms } }), { terms }).summary
      .injectedKeyterms;
  expect(injected(2, 100)).toEqual(['One', 'Two']);
  expect(injected(100, 1)).toEqual(['One']);
  expect(injected(100, 3)).toEqual(glossary);
});

test('two workspaces with the same request get their own terms', () => {
  const same = request({ topic: 'MCP Night' });
  const terms = (canonical: string) =>
    compileForRun(packs, same, undefined, ownTerms(canonical)).summary.auditTerms;
  expect(terms('Oktavia')).toContain('Oktavia');
  expect(terms('Zanzibar')).not.toContain('Oktavia');
  expect(compileForRun(packs, same).summary.auditTerms).not.toContain('Oktavia');
  expect(terms('Oktavia')).toContain('Oktavia');
});
