/** The rule that evidence makes, and which surfaces are strange. */
import { describe, expect, test } from 'bun:test';
import { contentWords, isStrange } from '../../server/learning/rules.ts';

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
