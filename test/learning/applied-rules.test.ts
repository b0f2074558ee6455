/** Applying, undoing and weighing rules: the whole document after each. */
import { describe, expect, test } from 'bun:test';
import {
  documentText,
  ownTermsOf,
  type DecidedRule,
  type StoredTerm,
} from '../../server/learning/terminology-store.ts';
import type { Candidate } from '../../server/learning/rules.ts';
import { candidate, emptyDocument, holding, NOW, person, rule, term } from './documents.ts';
import {
  applyRule,
  decideByEvidence,
  questionsOf,
  undoRule,
} from '../../server/learning/apply-rules.ts';

describe('a rule that is applied', () => {
  test('about an ordinary word needs a near word, and is confirmed', () => {
    const near = ['okta', 'provisioning'];
    const risky = rule({ surface: 'skim', canonical: 'SCIM', risky: true, near });
    expect(applyRule(emptyDocument(), risky, NOW)?.terms).toEqual([
      term({
        canonical: 'SCIM',
        kind: 'acronym',
        mishears: ['skim'],
        risky: ['skim'],
        confirmed: ['skim'],
        near,
      }),
    ]);
    const own = term({ canonical: 'SCIM', kind: 'acronym', mishears: [], source: person });
    const many = Array.from({ length: 49 }, (_, at) => `near${at}`);
    const [added] = applyRule(holding([], [{ ...own, near: many }]), risky, NOW)!.terms;
    expect(added?.near).toEqual([...many.slice(1), ...near]);
    expect(added?.source).toEqual(person);
  });

  test('about one of the most common words only marks it for review', () => {
    const common = rule({ surface: 'there', canonical: 'Theia', risky: true, near: ['ide'] });
    const [added] = applyRule(emptyDocument(), common, NOW)!.terms;
    expect(added).toMatchObject({ mishears: ['there'], risky: ['there'], confirmed: [] });
  });
});

describe('a rule that is undone', () => {
  test('takes its phrase out of all lists of the term, and leaves the others', () => {
    const lists = (...phrases: string[]) => ({
      mishears: phrases,
      risky: phrases,
      confirmed: phrases,
      near: ['okta'],
    });
    const before = holding([rule()], [term({ ...lists('keycloke', 'key clock'), source: person })]);
    expect(undoRule(before, 'r1', 'undone', NOW + 1)).toEqual(
      holding(
        [rule({ state: 'undone', settledAt: NOW + 1 })],
        [term({ ...lists('key clock'), source: person })],
      ),
    );
  });

  test.each<[string, StoredTerm, DecidedRule[], boolean]>([
    ['was only learned', term(), [], false],
    ['was written by a person', term({ source: person }), [], true],
    ['has another phrase', term({ mishears: ['keycloke', 'key clock'] }), [], true],
    [
      'is supported by another rule',
      term(),
      [rule({ id: 'r2', surface: null, canonical: 'keycloak' })],
      true,
    ],
    [
      'is supported by a rule that is not in force',
      term(),
      [rule({ id: 'r2', surface: null, state: 'withdrawn' })],
      false,
    ],
    ['is not that of another rule', term(), [rule({ id: 'r2', canonical: 'Okta' })], false],
  ])('its term stays or goes if it %s', (_, own, others, stays) => {
    const other = term({ canonical: 'Okta', mishears: ['octa'], source: person });
    const { terms } = undoRule(holding([rule(), ...others], [own, other]), 'r1', 'undone', NOW);
    expect(terms.map(({ canonical }) => canonical)).toEqual([
      ...(stays ? ['Keycloak'] : []),
      'Okta',
    ]);
  });
});

describe('evidence', () => {
  const decided = (own: DecidedRule | null, now: Partial<Candidate>, terms = [term()]) => {
    const after = decideByEvidence(holding(own ? [own] : [], terms), [candidate(now)], NOW + 9);
    return after.rules.find(({ id }) => id === 'r1')?.state ?? 'none';
  };

  test.each<[string, DecidedRule, Partial<Candidate>, string]>([
    ['more rejections', rule(), { rejected: 1, unmade: 1 }, 'withdrawn'],
    ['as many rejections', rule({ rejected: 1 }), { rejected: 1, unmade: 1 }, 'applied'],
    ['rejections of a forbidden correction', rule({ kind: 'never' }), { rejected: 3 }, 'applied'],
    ['shown rejections of a risky rule', rule({ risky: true }), { rejected: 4 }, 'applied'],
    [
      'as many made rejections of a risky rule',
      rule({ risky: true, rejected: 1, unmade: 2 }),
      { rejected: 9, unmade: 2 },
      'applied',
    ],
    [
      'more made rejections of a risky rule',
      rule({ risky: true, rejected: 5, unmade: 1 }),
      { unmade: 2 },
      'withdrawn',
    ],
    ['a dismissed rule', rule({ state: 'dismissed' }), { accepted: 9 }, 'dismissed'],
  ])('%s', (_, own, now, expected) => {
    expect(decided(own, now)).toBe(expected);
  });

  test('applies what is safe and not listed, and leaves what does not fit', () => {
    expect(decided(null, {}, [])).toBe('applied');
    expect(decided(null, { safe: false }, [])).toBe('none');
    expect(decided(null, {})).toBe('none');
    expect(decided(null, { kind: 'never' })).toBe('applied');
    const taken = [term({ canonical: 'Keyglow', mishears: ['keycloke'] })];
    expect(decided(null, {}, taken)).toBe('none');
    const both = decideByEvidence(
      holding([], taken),
      [candidate(), candidate({ id: 'r2', surface: 'octa', canonical: 'Okta' })],
      NOW,
    );
    expect(both.rules.map(({ id }) => id)).toEqual(['r2']);
  });

  test.each<[string, DecidedRule | null, Partial<Candidate>, StoredTerm[], boolean]>([
    ['a new one', null, {}, [], true],
    ['one that the terms have', null, {}, [term()], false],
    ['an ordinary word that the terms have', null, { kind: 'risky_word' }, [term()], true],
    ['a forbidden correction', null, { kind: 'never' }, [term()], true],
    ['one that was dismissed', rule({ state: 'dismissed' }), {}, [], false],
    ['one that was withdrawn', rule({ state: 'withdrawn' }), {}, [], false],
    [
      'one confirmed once since it was withdrawn',
      rule({ state: 'withdrawn' }),
      { confirmedAt: [1, NOW, NOW + 1] },
      [],
      false,
    ],
    [
      'one confirmed twice since it was withdrawn',
      rule({ state: 'withdrawn' }),
      { confirmedAt: [1, NOW + 1, NOW + 2] },
      [],
      true,
    ],
  ])('whether people are asked about %s', (_, own, now, terms, asked) => {
    const questions = questionsOf(holding(own ? [own] : [], terms), [candidate(now)]);
    expect(questions).toHaveLength(asked ? 1 : 0);
    const off = { ...holding(own ? [own] : [], terms), automatic: false };
    expect(questionsOf(off, [candidate(now)])).toEqual([]);
  });
});

test('of more than 5,000 rules, those in force and the newest of the others are kept', () => {
  const many = Array.from({ length: 5002 }, (_, at) =>
    rule({ id: `r${at}`, state: 'undone', settledAt: at }),
  );
  const inForce = rule({ id: 'old', settledAt: -1 });
  const kept = documentText(holding([...many, inForce])).document.rules;
  expect(kept).toHaveLength(5000);
  expect(kept[0]).toBe(inForce);
  expect(kept.map(({ id }) => id)).not.toContain('r2');
  expect(kept.map(({ id }) => id)).toContain('r3');
  const few = [...many.slice(0, 4999), inForce];
  expect(documentText(holding(few)).document.rules).toEqual(few);
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
  const { source: _, ...plain } = term();
  expect(ownTermsOf(holding(rules))).toEqual({
    terms: [plain],
    never: [{ surface: 'okta', canonical: 'Keycloak' }],
    rules: [{ id: 'a', surface: 'keycloke', canonical: 'Keycloak' }],
  });
});
