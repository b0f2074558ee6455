/** Terms and rules of a workspace at the limits of their number and length, and as they are undone. */
import { describe, expect, test } from 'bun:test';
import { undoRule } from '../../server/learning/apply-rules.ts';
import { reconciled } from '../../server/learning/terminology-store.ts';
import { fitsAmong, storedTerm } from '../../server/learning/edit-terms.ts';
import { holding, NOW, person, rule, term } from './documents.ts';

describe('a document of rules', () => {
  test('drops the oldest of the rules that are not in force, even if they come last', () => {
    const old = rule({ id: 'old', state: 'undone', settledAt: 1 });
    const many = Array.from({ length: 5000 }, (_, at) =>
      rule({ id: `r${at}`, state: 'dismissed', settledAt: 5000 - at + 1 }),
    );
    const kept = reconciled(holding([old, ...many], [])).rules;
    expect(kept).toHaveLength(5000);
    expect(kept.some(({ id }) => id === 'old')).toBe(false);
    expect(kept[0]?.id).toBe('r0');
  });

  test('keeps a learned term while another rule supports it, and one that a person wrote for good', () => {
    const both = [rule(), rule({ id: 'r2', surface: 'kikloak' })];
    const one = undoRule(
      holding(both, [term({ mishears: ['keycloke', 'kikloak'] })]),
      'r1',
      'undone',
      NOW,
    );
    expect(one.terms).toEqual([term({ mishears: ['kikloak'] })]);
    expect(undoRule(one, 'r2', 'undone', NOW).terms).toEqual([]);
    const named = [rule(), rule({ id: 'r2', surface: null })];
    expect(undoRule(holding(named), 'r1', 'undone', NOW).terms).toEqual([term({ mishears: [] })]);
    const own = term({ source: person });
    expect(undoRule(holding([rule()], [own]), 'r1', 'undone', NOW).terms).toEqual([
      { ...own, mishears: [] },
    ]);
  });
});

describe('terms', () => {
  test('that share a mishear do not fit each other; others do', () => {
    const of = (canonical: string, mishear: string, aliases: string[] = []) =>
      storedTerm({ canonical, mishears: [mishear], aliases }, person);
    const others = [of('Okta', 'octa'), of('Vault', 'fault', ['Vaulty'])];
    expect(fitsAmong(of('Octane', 'octa'), others)).toBe(false);
    expect(fitsAmong(of('Octane', 'vaulty'), others)).toBe(false);
    expect(fitsAmong(of('Octane', 'octan'), others)).toBe(true);
  });
});
