/** The rules that evidence suggests: each field of them, and one below, at and above each limit. */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/document.ts';
import type { Evidence } from '../../server/learning/evidence.ts';
import { groupsOf, type RunEvidence } from '../../server/learning/evidence-groups.ts';
import { candidatesOf, isListed, ruleId } from '../../server/learning/rules.ts';
import { candidate, holding, say, talk, term } from './documents.ts';

const candidates = (...runs: RunEvidence[]) => candidatesOf(runs, emptyDocument());
const times = (count: number, one: Evidence): Evidence[] =>
  Array.from({ length: count }, () => one);

describe('a candidate', () => {
  test('lists its five latest places, and all its rejections and confirmations', () => {
    const runs = [1, 2, 3, 4].map((at) => talk(at, say('accepted', 'skim', 'SCIM', { start: at })));
    const against = [5, 6].map((at) =>
      talk(
        at,
        say('rejected', 'skim', 'SCIM', { start: at, ...(at === 6 ? { shown: true } : {}) }),
      ),
    );
    const [found] = candidates(...runs, ...against);
    expect(found).toEqual({
      id: ruleId('skim', 'SCIM'),
      kind: 'risky_word',
      surface: 'skim',
      canonical: 'SCIM',
      near: [],
      risky: true,
      accepted: 4,
      rejected: 2,
      talks: 6,
      safe: false,
      places: [6, 5, 4, 3, 2].map((at) => ({
        runId: `run_${at}`,
        start: at,
        before: 'skim',
        after: 'SCIM',
      })),
      rejectedIn: [
        { runId: 'run_5', createdAt: 5, start: 5, shown: false },
        { runId: 'run_6', createdAt: 6, start: 6, shown: true },
      ] as never,
      unmade: 1,
      confirmedAt: [1, 2, 3, 4],
    });
  });

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

  test('comes before those with less evidence; of equals, the one with the smaller id', () => {
    const names = ['Keycloak', 'Okta', 'Teleport', 'Vault'];
    const all = names.map((name) => say('accepted', `${name.toLowerCase()}x`, name));
    const found = candidates(talk(1, ...all), talk(2, all[2]!, say('rejected', 'oktax', 'Okta')));
    const [first, second, ...rest] = found.map(({ id }) => id);
    const id = (at: number) => ruleId(`${names[at]!.toLowerCase()}x`, names[at]!);
    expect([first, second]).toEqual([id(1), id(2)].toSorted());
    expect(rest).toEqual([id(0), id(3)].toSorted());
  });

  test('about a correction that was only rejected exists for known terms only', () => {
    const only = (known: boolean) =>
      candidates(talk(1, say('rejected', 'stein', 'stdin', { known })));
    expect(only(true)).toMatchObject([{ kind: 'never', accepted: 0, rejected: 1, safe: false }]);
    expect(only(false)).toEqual([]);
  });

  test('with an unknown name is safe only if it sounds like the recognised words', () => {
    const safe = (heard: string) =>
      candidates(talk(1, ...times(2, say('typed', heard, 'Kubernetes', { known: false }))))[0]
        ?.safe;
    expect([safe('koobernetties'), safe('window')]).toEqual([true, false]);
  });

  test('takes the spelling of the term of the workspace, which makes it known', () => {
    const typed = talk(1, say('typed', 'keycloke', 'KEYCLOAK', { known: false }));
    const [found] = candidatesOf([typed], holding([], [term({ mishears: [] })]));
    expect(found).toMatchObject({ canonical: 'Keycloak', kind: 'new_mishear', safe: true });
    expect(found?.places[0]?.after).toBe('Keycloak');
    expect(candidates(typed)[0]).toMatchObject({ kind: 'new_term', safe: false });
  });

  test('is listed if its term has its phrase in any case, or if it only adds the term', () => {
    const document = holding([], [term({ mishears: ['KeyCloke'] })]);
    expect(isListed(document, candidate())).toBe(true);
    expect(isListed(document, candidate({ surface: null }))).toBe(true);
    expect(isListed(document, candidate({ surface: 'key' }))).toBe(false);
    expect(isListed(document, candidate({ canonical: 'Okta' }))).toBe(false);
  });
});

test('the id of a rule depends on both phrases, and not on the case of the term', () => {
  expect(ruleId('a', 'Okta')).toBe(ruleId('a', 'OKTA'));
  expect(ruleId('a', 'Okta')).toMatch(/^rule_[0-9a-f]{24}$/);
  expect(
    new Set([ruleId('a', 'x'), ruleId('b', 'x'), ruleId('a', 'y'), ruleId(null, 'x')]).size,
  ).toBe(4);
});

test.each([
  ['Kubernetes', 'Kubernete', 'two letters or fewer', false],
  ['Kubernetes', 'Kuber', 'more letters', true],
  ['Vaults', 'Vault', 'a name of six letters', false],
  ['Vault', 'Vaul', 'a name of five letters, which is too short', true],
])('beside %s, %s differs by %s', (older, younger, _, safe) => {
  const typed = (name: string) => say('typed', `${name.toLowerCase()} xq`, name, { known: false });
  const runs = [talk(1, typed(older), typed(older)), talk(2, typed(younger), typed(younger))];
  const found = candidates(...runs).find(({ canonical }) => canonical === younger);
  expect(found?.safe).toBe(safe);
});

describe('groups of evidence', () => {
  test('join spellings of a name that differ in case, but not the recognised words', () => {
    const groups = groupsOf([
      talk(1, say('typed', 'a', 'Okta'), say('typed', 'b', 'Okta'), say('typed', 'a', 'OKTA')),
    ]);
    expect(groups.map(({ surface, spellings }) => [surface, ...spellings])).toEqual([
      ['a', ['Okta', 1], ['OKTA', 1]],
      ['b', ['Okta', 1]],
    ]);
    expect(groups[0]?.canonical).toBe('Okta');
  });

  test('stay known once one piece of evidence was, and are not by themselves', () => {
    const known = (...all: boolean[]) =>
      groupsOf([talk(1, ...all.map((one) => say('typed', 'a', 'Okta', { known: one })))])[0]?.known;
    expect([known(true, false), known(false, true), known(false, false)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
