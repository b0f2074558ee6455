/** The document of a workspace: rules in force, dropped rules, and the parts that a run uses. */
import { expect, test } from 'bun:test';
import {
  emptyDocument,
  ownTermsOf,
  reconciled,
  type DecidedRule,
  type StoredTerm,
} from '../../server/learning/terminology-store.ts';

const term = (canonical: string, mishears: string[] = []): StoredTerm => ({
  canonical,
  kind: 'product_name',
  mishears,
  weight: 1,
  source: { kind: 'person', at: '2026-01-01T00:00:00.000Z' },
});

const rule = (values: Partial<DecidedRule>): DecidedRule => ({
  id: 'r',
  kind: 'new_mishear',
  state: 'applied',
  automatic: true,
  surface: 'skim',
  canonical: 'SCIM',
  near: [],
  risky: false,
  accepted: 3,
  rejected: 0,
  talks: 2,
  settledAt: 0,
  ...values,
});

test('of more than 5,000 rules, those in force and the newest of the others are kept', () => {
  const many = Array.from({ length: 5002 }, (_, at) =>
    rule({ id: `r${at}`, state: 'undone', settledAt: at }),
  );
  const inForce = rule({ id: 'old', settledAt: -1 });
  const document = { ...emptyDocument(), terms: [term('SCIM', ['skim'])] };
  const kept = reconciled({ ...document, rules: [...many, inForce] }).rules;
  expect(kept).toHaveLength(5000);
  expect(kept[0]).toBe(inForce);
  expect(kept.map(({ id }) => id)).not.toContain('r2');
  expect(kept.map(({ id }) => id)).toContain('r3');
  const few = [...many.slice(0, 4999), inForce];
  expect(reconciled({ ...document, rules: few }).rules).toEqual(few);
});

test('a run uses the terms without their source, and the rules in force', () => {
  const rules = [
    rule({ id: 'a' }),
    rule({ id: 'b', surface: null }),
    rule({ id: 'c', kind: 'never', surface: 'okta' }),
    rule({ id: 'd', kind: 'never', surface: null }),
    rule({ id: 'e', state: 'dismissed' }),
    rule({ id: 'f', kind: 'never', state: 'undone' }),
  ];
  expect(ownTermsOf({ ...emptyDocument(), terms: [term('SCIM', ['skim'])], rules })).toEqual({
    terms: [{ canonical: 'SCIM', kind: 'product_name', mishears: ['skim'], weight: 1 }],
    never: [{ surface: 'okta', canonical: 'SCIM' }],
    rules: [{ id: 'a', surface: 'skim', canonical: 'SCIM' }],
  });
});
