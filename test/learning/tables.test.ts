/** The rule that evidence makes, and which surfaces are strange. */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/terminology-store.ts';
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
