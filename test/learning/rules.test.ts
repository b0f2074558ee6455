/** Rules learned from evidence: which are safe, which need a question, and how they are withdrawn and undone. */
import { describe, expect, test } from 'bun:test';
import type { WorkspaceDocument } from '../../server/learning/terminology-store.ts';
import type { RunEvidence } from '../../server/learning/evidence.ts';
import { candidatesOf, evidenceText } from '../../server/learning/rules.ts';
import { emptyDocument, type Evidence, holding, say, talk, term } from './documents.ts';
import { simulateYear } from '../../bench/learning/year.ts';
import { decideByEvidence, questionsOf, undoRule } from '../../server/learning/apply-rules.ts';

const learn = (runs: RunEvidence[], document = emptyDocument(), now = 100): WorkspaceDocument =>
  decideByEvidence(document, candidatesOf(runs, document), now);
const mishears = ({ terms }: WorkspaceDocument): string[] =>
  terms.flatMap((term) => term.mishears.map((mishear) => `${mishear} → ${term.canonical}`));
const questions = (runs: RunEvidence[], document = emptyDocument()): string[] =>
  questionsOf(document, candidatesOf(runs, document)).map(evidenceText);

describe('without being asked', () => {
  test('a mishear that is not an English word is learned immediately', () => {
    expect(mishears(learn([talk(1, say('accepted', 'keycloke', 'Keycloak'))]))).toEqual([
      'keycloke → Keycloak',
    ]);
  });

  test('what was accepted in fewer places than it was left in is asked', () => {
    const monroe = (one: Evidence['said']) => say(one, 'monroex', 'Monro');
    const once = [talk(1, monroe('accepted'), monroe('left'), monroe('left'))];
    expect(mishears(learn(once))).toEqual([]);
    expect(questions(once)).toEqual(['monroex → Monro, accepted once in one talk']);
    const mostly = [talk(1, monroe('accepted'), monroe('accepted'), monroe('left'))];
    expect(mishears(learn(mostly))).toEqual(['monroex → Monro']);
  });

  test('an ordinary word is learned when confirmed twice in the same context, and only there', () => {
    const scim = (...context: string[]) => say('accepted', 'skim', 'SCIM', { context });
    expect(mishears(learn([talk(1, scim('provisioning'))]))).toEqual([]);
    expect(mishears(learn([talk(1, scim('provisioning'), scim('quarterly'))]))).toEqual([]);
    const { terms } = learn([talk(1, scim('provisioning', 'okta'), scim('provisioning'))]);
    expect(terms).toMatchObject([
      { canonical: 'SCIM', risky: ['skim'], confirmed: ['skim'], near: ['provisioning'] },
    ]);
  });

  test('an unknown name has to be typed twice alike; a typing error is not learned', () => {
    const typed = (name: string) => say('typed', 'cooper netties', name, { known: false });
    expect(mishears(learn([talk(1, typed('Kubernetes'))]))).toEqual([]);
    const both = learn([talk(1, typed('Kubernetes'), typed('Kubernetes'), typed('Kuberntes'))]);
    expect(mishears(both)).toEqual([]);
    const three = learn([
      talk(1, typed('Kubernetes'), typed('Kubernetes'), typed('Kubernetes'), typed('Kuberntes')),
    ]);
    expect(mishears(three)).toEqual(['cooper netties → Kubernetes']);
  });

  test('a correction rejected twice and never wanted is never made again', () => {
    const { rules } = learn([
      talk(1, say('rejected', 'stein', 'stdin'), say('rejected', 'stein', 'stdin')),
    ]);
    expect(rules).toMatchObject([{ kind: 'never', surface: 'stein', state: 'applied' }]);
  });

  test('an unrejected spelling is no evidence for a known term, but is for an unknown one', () => {
    const typed = (known: boolean, surface = 'authkit') => [
      talk(1, ...Array.from({ length: 3 }, () => say('typed', surface, 'AuthKit', { known }))),
    ];
    expect(candidatesOf(typed(true), emptyDocument())).toEqual([]);
    expect(candidatesOf(typed(false, 'auth kit'), emptyDocument())).toMatchObject([
      { canonical: 'AuthKit', accepted: 3 },
    ]);
  });

  /** The talks after which it is learned: one if no word of it is meant itself, more if some are ordinary. */
  test.each([
    ['d b t', 1],
    ['a b c', 1],
    ['a i', Infinity],
    ['a i c', Infinity],
    ['b c', Infinity],
    ['keycloke', 1],
    ['the keycloke', 1],
    ['abq', Infinity],
    ['abqx', 1],
    ['xq abq', 1],
    ['ab qx', 2],
    ['house of cards', 2],
    ['a polo', 4],
    ['than us', Infinity],
    ['of the', Infinity],
  ])('the phrase %j is learned after so many talks that confirm it: %d', (surface, talks) => {
    const runs = [1, 2, 3, 4].map((at) => talk(at, say('accepted', surface, 'Zorbex')));
    const after = runs.findIndex((_, at) => mishears(learn(runs.slice(0, at + 1))).length > 0);
    expect(after < 0 ? Infinity : after + 1).toBe(talks);
    const shown = talk(5, say('rejected', surface, 'Zorbex', { shown: true }));
    expect(mishears(learn([...runs, shown]))).toEqual([]);
  });

  test('nothing is learned if the workspace has turned learning off', () => {
    const off = { ...emptyDocument(), automatic: false };
    const runs = [talk(1, say('accepted', 'keycloke', 'Keycloak'))];
    expect([learn(runs, off), questions(runs, off)]).toEqual([off, []]);
  });
});

describe('people are asked about everything else once', () => {
  const runs = [
    talk(1, say('accepted', 'skim', 'SCIM'), say('accepted', 'skim', 'SCIM')),
    talk(2, say('accepted', 'skim', 'SCIM'), say('accepted', 'skim', 'SCIM')),
  ];
  test('with its evidence as a sentence', () => {
    expect(questions(runs)).toEqual(['skim → SCIM, accepted 4 times in 2 talks']);
    expect(questions([talk(1, say('rejected', 'stein', 'stdin'))])).toEqual([
      'stein → stdin, rejected once in one talk',
    ]);
  });
});

describe('a wrong rule', () => {
  const wrong = talk(
    1,
    say('typed', 'keycloke', 'Keyglock', { known: false }),
    say('typed', 'keycloke', 'Keyglock', { known: false }),
  );
  const learned = learn([wrong], emptyDocument(), 100);
  const rejected = talk(200, say('rejected', 'keycloke', 'Keyglock'));

  test('is restored only by a person, who is asked when later talks confirm it', () => {
    const after = learn([wrong, rejected], learned, 300);
    const again = (at: number) => talk(at, say('typed', 'keycloke', 'Keyglock'));
    const later = [wrong, rejected, again(310), again(320)];
    expect(learn(later, after, 400).terms).toEqual([]);
    expect(questions([wrong, rejected, again(310)], after)).toEqual([]);
    expect(questions(later, after)).toEqual([
      'keycloke → Keyglock, accepted 4 times, rejected once in 4 talks',
    ]);
  });

  test('when undone, leaves terms written by people unchanged', () => {
    const own = {
      ...emptyDocument(),
      terms: [
        {
          canonical: 'Keycloak',
          kind: 'product_name' as const,
          mishears: ['key cloak'],
          weight: 10,
          source: { kind: 'person' as const, at: '2026-11-20T00:00:00.000Z' },
        },
      ],
    };
    const runs = [talk(1, say('accepted', 'keycloke', 'Keycloak'))];
    const taught = learn(runs, own);
    expect(mishears(taught)).toEqual(['key cloak → Keycloak', 'keycloke → Keycloak']);
    const undone = undoRule(taught, taught.rules[0]!.id, 'undone', 200);
    expect(undone.terms).toEqual(own.terms);
    expect(learn(runs, undone).terms).toEqual(own.terms);
  });
});

const candidates = (...runs: RunEvidence[]) => candidatesOf(runs, emptyDocument());

const times = (count: number, one: Evidence): Evidence[] =>
  Array.from({ length: count }, () => one);

describe('a candidate', () => {
  test('counts all evidence about what was heard and meant, in its most common spelling', () => {
    const of = (said: Evidence['said'], canonical: string, more: Partial<Evidence> = {}) =>
      say(said, 'keycloke', canonical, { context: ['okta'], start: 1, ...more });
    const runs = [
      talk(1, of('typed', 'KeyCloak'), of('rejected', 'KEYCLOAK')),
      talk(2, of('kept', 'Keycloak'), of('accepted', 'Keycloak', { start: 4 })),
      talk(2, of('rejected', 'Keycloak', { shown: true }), of('rejected', 'Okta')),
    ];
    const places = [2, 2, 2, 1, 1].map((run, at) => [`run_${run}`, at === 1 ? 4 : 1]);
    const [keycloak, okta, ...more] = candidates(...runs);
    expect(keycloak).toMatchObject({
      canonical: 'Keycloak',
      accepted: 3,
      rejected: 2,
      unmade: 1,
      confirmedAt: [1, 2, 2],
    });
    expect(keycloak?.places.map(({ runId, start }) => [runId, start])).toEqual(places);
    expect([okta, more]).toMatchObject([{ canonical: 'Okta', accepted: 0, rejected: 1 }, []]);
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

  test('takes the spelling of the term of the workspace, which makes it known', () => {
    const typed = talk(1, say('typed', 'keycloke', 'KEYCLOAK', { known: false }));
    const [found] = candidatesOf([typed], holding([], [term({ mishears: [] })]));
    expect(found).toMatchObject({ canonical: 'Keycloak', kind: 'new_mishear', safe: true });
    expect(found?.places[0]?.after).toBe('Keycloak');
    expect(candidates(typed)[0]).toMatchObject({ kind: 'new_term', safe: false });
  });
});

test('eight talks need fewer and fewer corrections, and hardly any ordinary word is changed', () => {
  const year = simulateYear({ talks: 8, perTalk: 25, seed: 7 });
  const corrections = (from: number, to: number) =>
    year.slice(from, to).reduce((sum, figures) => sum + figures.corrections, 0);
  expect(corrections(0, 2)).toBeGreaterThan(15);
  expect(corrections(6, 8)).toBeLessThan(0.8 * corrections(0, 2));
  const wrong = year.reduce((sum, figures) => sum + figures.wrong, 0);
  const words = year.reduce((sum, figures) => sum + figures.words, 0);
  expect(wrong / words).toBeLessThan(1 / 5000);
}, 300_000);
