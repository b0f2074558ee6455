/** Possible next tokens in a text: no special tokens, no empty beginning, and boosted key terms. */
import { expect, test } from 'bun:test';
import { logProbability, steered } from '../../../../server/whisper/search/found-text.ts';

const [END, SPACE] = [5, 4];
const rules = { special: END + 1, end: END, unspoken: [1], neverFirst: [SPACE, END] };
const possible = (said: readonly number[], more: object = {}) =>
  Array.from(steered(new Float32Array(8), { ...rules, ...more }, said)).flatMap((logit, token) =>
    logit === -Infinity ? [] : token,
  );

test('a text does not begin with its end or a space; later both are possible', () => {
  expect(possible([])).toEqual([0, 2, 3]);
  expect(possible([0])).toEqual([0, 2, 3, SPACE, END]);
});

test('key terms are boosted depending on the text so far', () => {
  const boost = (said: readonly number[]) => new Map([[said.length + 2, 1.5]]);
  expect(steered(new Float32Array(8), { ...rules, boost }, [])[2]).toBe(1.5);
  expect(steered(new Float32Array(8), { ...rules, boost }, [0])[3]).toBe(1.5);
});

test('the probabilities of all tokens add up to one, however large their logits', () => {
  const logits = Float32Array.of(1000, 1001, 999, -Infinity);
  const shares = Array.from(logits, (_, token) => Math.exp(logProbability(logits, token)));
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  expect(shares[1]! / shares[0]!).toBeCloseTo(Math.E);
  expect(shares[3]).toBe(0);
});

test('a token that is just too improbable to count leaves the others as they are', () => {
  expect(logProbability(Float32Array.of(0, -30), 0)).toBe(0);
  expect(logProbability(Float32Array.of(0, -30), 1)).toBe(-30);
});
