/**
 * Learning in tables: the rule that each amount of evidence makes. `OUTLINES=write npm test --
 * test/learning/tables.test.ts` updates rule-table.txt.
 */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/document.ts';
import type { Evidence } from '../../server/learning/evidence.ts';
import { contentWords, isStrange } from '../../server/learning/misheard-phrases.ts';
import { candidatesOf, type Candidate } from '../../server/learning/rules.ts';
import { expectKeptIn } from '../support/kept.ts';

/** The recognised text and the term: unknown words, ordinary ones, phrases, spellings, a typing error. */
const PAIRS = [
  ['keycloke', 'Keycloak'],
  ['skim', 'SCIM'],
  ['a polo', 'Apollo'],
  ['meta base', 'Metabase'],
  ['key cloak', 'Keycloak'],
  ['d b t', 'dbt'],
  ['authkit', 'AuthKit'],
  ['in the cloud flair', 'Cloudflare'],
  ['the', 'Theia'],
  ['window', 'Kubernetes'],
] as const;

/** A rule in a few letters. */
const shown = ({ kind, surface, near, risky, safe, talks, unmade }: Candidate): string =>
  [
    kind,
    surface === null ? 'any form' : '',
    risky ? 'risky' : '',
    safe ? 'safe' : '',
    near.length > 0 ? `near ${near.join(' ')}` : '',
    `${talks} talks`,
    unmade > 0 ? `${unmade} unmade` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');

test('the rule of each amount of evidence', () => {
  const lines = PAIRS.flatMap(([surface, canonical]) => {
    const by = new Map<string, string[]>();
    for (const known of [true, false]) {
      for (const place of ['one talk', 'many talks', 'alike']) {
        for (let accepted = 0; accepted <= 4; accepted += 1) {
          for (let rejected = 0; rejected <= 2; rejected += 1) {
            const of = (said: Evidence['said'], at: number): Evidence => ({
              said,
              surface,
              canonical,
              known,
              context: place === 'alike' ? ['okta', `word${at}`] : [`word${at}`],
              start: at,
              ...(said === 'rejected' && at === 0 ? { shown: true as const } : {}),
            });
            const evidence = [
              ...Array.from({ length: accepted }, (_, at) => of(at % 2 ? 'typed' : 'accepted', at)),
              ...Array.from({ length: rejected }, (_, at) => of('rejected', at)),
            ];
            const runs = evidence.map((one, at) => ({
              runId: place === 'one talk' ? 'run' : `run${at}`,
              createdAt: at,
              evidence: [one],
            }));
            const found = candidatesOf(runs, emptyDocument());
            const what = found.map(shown).join(' + ') || 'nothing';
            const name = `${accepted}/${rejected} ${known ? 'known' : 'unknown'} ${place}`;
            by.set(what, [...(by.get(what) ?? []), name]);
          }
        }
      }
    }
    return [
      `${surface} → ${canonical}`,
      ...[...by].map(([what, names]) => `  ${what}: ${names.join('; ')}`),
    ];
  });
  expectKeptIn(new URL('outlines/', import.meta.url), 'rule-table', lines);
});

test('of two terms for one surface, only one that is three times as frequent is safe', () => {
  const of = (canonical: string, count: number): Evidence[] =>
    Array.from({ length: count }, (_, start) => ({
      said: 'accepted',
      surface: 'keycloke',
      canonical,
      known: true,
      context: [],
      start,
    }));
  const safe = (most: number, rival: number): boolean[] =>
    candidatesOf(
      [
        {
          runId: 'run',
          createdAt: 1,
          evidence: [...of('Keycloak', most), ...of('Key Glow', rival)],
        },
      ],
      emptyDocument(),
    ).map((candidate) => candidate.safe);
  expect([safe(3, 1), safe(2, 1), safe(6, 2), safe(5, 2)]).toEqual([
    [true, false],
    [false, false],
    [true, false],
    [false, false],
  ]);
});

test('a name a letter or two from one known for longer is a slip', () => {
  const safe = (name: string, other: string): boolean[] => {
    const of = (canonical: string): Evidence => ({
      said: 'typed',
      surface: `${canonical.toLowerCase().slice(0, -1)} x`,
      canonical,
      known: false,
      context: [],
      start: 0,
    });
    const evidence = [of(other), of(other), of(name), of(name), of(name)];
    const found = candidatesOf([{ runId: 'run', createdAt: 1, evidence }], emptyDocument());
    return found.map((candidate) => candidate.safe);
  };
  const [far, two, one] = [
    safe('Kubernetes', 'Kuberxxxes'),
    safe('Kubernetes', 'Kuberxxtes'),
    safe('Kubernetes', 'Kubernete'),
  ];
  expect([far, two, one]).toEqual([
    [true, true],
    [false, true],
    [false, true],
  ]);
});

describe('a phrase', () => {
  test.each([
    ['d b t', true, 0],
    ['a b c', true, 0],
    ['a i', false, 0],
    ['a i c', false, 0],
    ['b c', false, 0],
    ['keycloke', true, 1],
    ['the keycloke', true, 1],
    ['abq', false, 1],
    ['abqx', true, 1],
    ['xq abq', true, 2],
    ['ab qx', false, 2],
    ['house of cards', false, 2],
    ['of the', false, 0],
  ])('%j is strange: %p, with %d words of content', (surface, strange, count) => {
    expect([isStrange(surface), contentWords(surface)]).toEqual([strange, count]);
  });
});
