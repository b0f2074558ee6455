/** The rule that evidence makes, and which surfaces are strange. */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/document.ts';
import type { Evidence } from '../../server/learning/evidence.ts';
import { candidatesOf, contentWords, isStrange } from '../../server/learning/rules.ts';

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
