/** The rules that evidence suggests: each field of them, and one below, at and above each limit. */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/terminology-store.ts';
import type { Evidence, RunEvidence } from '../../server/learning/evidence.ts';
import { candidatesOf } from '../../server/learning/rules.ts';
import { holding, say, talk, term } from './documents.ts';

const candidates = (...runs: RunEvidence[]) => candidatesOf(runs, emptyDocument());
const times = (count: number, one: Evidence): Evidence[] =>
  Array.from({ length: count }, () => one);

describe('a candidate', () => {
  test('is near the words that several confirmations share, or all words if they share none', () => {
    const near = (...contexts: string[][]) =>
      candidates(
        talk(1, ...contexts.map((context) => say('accepted', 'skim', 'SCIM', { context }))),
      )[0]?.near;
    expect(near(['okta', 'login'], ['okta', 'users'])).toEqual(['okta']);
    expect(near(['login'], ['users', 'okta'])).toEqual(['login', 'okta', 'users']);
    expect(near(['b', 'a'], ['b', 'a'], ['b'])).toEqual(['b', 'a']);
    // Neither the term itself nor what is misheard says anything about its context.
    expect(near(['scim', 'skim', 'okta'], ['scim', 'skim'])).toEqual(['okta']);
    const letters = [...'abcdefghijklmn'];
    expect(near(letters, letters)).toEqual(letters.slice(0, 12));
  });

  test('about a phrase of ordinary words needs one of the words that two confirmations share', () => {
    const found = (context: string[]) =>
      candidates(
        talk(1, ...times(2, say('accepted', 'house of cards', 'Hausscard', { context }))),
      )[0];
    expect(found(['okta'])).toMatchObject({ risky: true, near: ['okta'], safe: true });
    expect(found([])).toMatchObject({ risky: false, near: [], safe: false });
  });

  test('takes the spelling of the term of the workspace, which makes it known', () => {
    const typed = talk(1, say('typed', 'keycloke', 'KEYCLOAK', { known: false }));
    const [found] = candidatesOf([typed], holding([], [term({ mishears: [] })]));
    expect(found).toMatchObject({ canonical: 'Keycloak', kind: 'new_mishear', safe: true });
    expect(found?.places[0]?.after).toBe('Keycloak');
    expect(candidates(typed)[0]).toMatchObject({ kind: 'new_term', safe: false });
  });
});
