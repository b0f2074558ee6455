/** Boosting key terms in the search for a text. */
import { expect, test } from 'bun:test';
import { steered } from '../../../../server/whisper/search/found-text.ts';
import { boostOf } from '../../../../server/whisper/terms/term-prompt.ts';

/** Tokens: 1 “ Cloud”, 2 “flare”, 3 “ Workers”, 4 “ SSO”. */
const TERMS: Record<string, number[]> = {
  ' Cloudflare': [1, 2],
  ' Cloudflare Workers': [1, 2, 3],
  ' SSO': [4],
};
const boost = boostOf(['Cloudflare', 'Cloudflare Workers', 'SSO'], (text) => TERMS[text] ?? []);
const boosted = (said: number[]) => [...boost(said)].toSorted(([a], [b]) => a - b);

test('the first tokens of all terms get a small boost', () => {
  expect(boosted([])).toEqual([
    [1, 1],
    [4, 1],
  ]);
  expect(boosted([7, 2])).toEqual(boosted([]));
});

test('a token gets a larger boost once all previous tokens of its term are there', () => {
  expect(boosted([7, 1])).toEqual([
    [1, 1],
    [2, 3],
    [4, 1],
  ]);
  expect(boosted([1, 2])).toEqual([
    [1, 1],
    [3, 3],
    [4, 1],
  ]);
  expect(boosted([1, 7, 2])).toEqual(boosted([]));
});

test('impossible tokens stay impossible', () => {
  const rules = { end: 5, special: 6, unspoken: [4], neverFirst: [0], boost };
  const logits = steered(Float32Array.of(0, 0, 0, 0, 0, 0, 9), rules, [7]);
  expect([...logits]).toEqual([0, 1, 0, 0, -Infinity, 0, -Infinity]);
});
