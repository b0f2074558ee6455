/**
 * The terms of a workspace in a run: precedence between the payload's and the packs', and rejected
 * mishears.
 */
import { describe, expect, test } from 'bun:test';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import {
  neverByTerm,
  NO_OWN_TERMS,
  type OwnTerm,
  type OwnTerms,
} from '../../server/terminology/packs/own-terms.ts';
import { audit, packs, request, wordsOf } from './support.ts';

const own = (terms: Partial<OwnTerm>[], more: Partial<OwnTerms> = {}): OwnTerms => ({
  ...NO_OWN_TERMS,
  terms: terms.map((term) => ({ canonical: 'X', kind: 'product_name', weight: 10, ...term })),
  ...more,
});
const compiled = (terms: OwnTerms, given: object = {}) =>
  compileTerminology(packs, request({ own: terms, ...given }));
const decisions = async (text: string, terms: OwnTerms, given: object = {}): Promise<string[]> => {
  const { corrections } = await audit(wordsOf(text), { terms: compiled(terms, given).terms });
  return corrections.map(({ before, after, decision }) => `${before} → ${after}: ${decision}`);
};

describe('the terms of a workspace', () => {
  test('follow those of the payload, by weight, in key terms, audit and explicit terms', () => {
    const terms = own([
      { canonical: 'Zirkel', weight: 5 },
      { canonical: 'Oktavia', weight: 9 },
    ]);
    const { summary } = compiled(terms, { glossary: ['Payload'], exclude: [] });
    expect(summary.explicitTerms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    expect(summary.injectedKeyterms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    expect(summary.auditTerms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    // They select no pack, because then every run would use all of them.
    expect(compiled(own([{ canonical: 'WorkOS' }])).summary.selectedPacks).toEqual([]);
  });

  test('are removed by terminology.exclude, by term or surface', async () => {
    const terms = own([{ canonical: 'Oktavia', mishears: ['octave ya'] }]);
    expect(compiled(terms, { exclude: ['oktavia'] }).summary.explicitTerms).toEqual([]);
    const text = 'We met octave ya there.';
    expect(await decisions(text, terms)).toEqual(['octave ya → Oktavia: accepted']);
    expect(await decisions(text, terms, { exclude: ['octave ya'] })).not.toContain(
      'octave ya → Oktavia: accepted',
    );
  });

  test('are merged with the same term of a pack, and determine the risky mishears', async () => {
    const terms = own([{ canonical: 'AuthKit', kind: 'product_name', mishears: ['often kit'] }]);
    const [first] = compiled(terms, { requestedPacks: ['vendors/workos'] }).terms;
    expect(first?.canonical).toBe('AuthKit');
    expect(first?.packIds).toEqual(['workspace', 'vendors/workos']);
    expect(first?.mishears).toContain('often kit');
  });
});

describe('a risky mishear', () => {
  const scim = { canonical: 'SCIM', mishears: ['skim'], risky: ['skim'], near: ['provisioning'] };
  const text = 'We use skim for provisioning.';
  test('is shown for review near a near word, and corrected if people confirmed it', async () => {
    expect(await decisions(text, own([scim]))).toEqual(['skim → SCIM: needs_review']);
    const confirmed = own([{ ...scim, confirmed: ['Skim'] }]);
    expect(await decisions(text, confirmed)).toEqual(['skim → SCIM: accepted']);
    expect(await decisions('I skim the paper.', confirmed)).toEqual([]);
  });
});

describe('mishears excluded by people', () => {
  test('are neither corrected nor shown, however they were found', async () => {
    const pack = { requestedPacks: ['vendors/workos'] };
    const text = 'We sign in with off kit here.';
    expect(await decisions(text, NO_OWN_TERMS, pack)).toEqual(['off kit → AuthKit: accepted']);
    const never = own([], { never: [{ surface: 'off kit', canonical: 'AuthKit' }] });
    expect(await decisions(text, never, pack)).toEqual([]);
    const alike = own([{ canonical: 'Keycloak' }]);
    const heard = 'We use keycloke here.';
    expect((await decisions(heard, alike)).join()).toContain('keycloke → Keycloak');
    const not = { ...alike, never: [{ surface: 'keycloke', canonical: 'Keycloak' }] };
    expect(await decisions(heard, not)).toEqual([]);
  });

  test('may be several of one term, which all stay excluded', async () => {
    const never = own([], {
      never: ['off kit', 'auth kid', 'Off-Kid'].map((surface) => ({
        surface,
        canonical: 'authkit',
      })),
    });
    expect([...neverByTerm(never)]).toEqual([
      ['authkit', new Set(['off kit', 'auth kid', 'off kid'])],
    ]);
    const pack = { requestedPacks: ['vendors/workos'] };
    expect(await decisions('We sign in with off kit here.', never, pack)).toEqual([]);
  });
});
