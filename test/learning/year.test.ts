/** A short year: what people put right is right in later talks, and ordinary words stay as they are. */
import { expect, test } from 'bun:test';
import { simulateYear } from '../../bench/learning/year.ts';

test('ten talks need ever fewer corrections, and next to no ordinary word is changed', () => {
  const year = simulateYear({ talks: 10, perTalk: 40, seed: 7 });
  const corrections = (from: number, to: number) =>
    year.slice(from, to).reduce((sum, figures) => sum + figures.corrections, 0);
  expect(corrections(0, 2)).toBeGreaterThan(20);
  expect(corrections(8, 10)).toBeLessThan(0.8 * corrections(0, 2));
  const wrong = year.reduce((sum, figures) => sum + figures.wrong, 0);
  const words = year.reduce((sum, figures) => sum + figures.words, 0);
  expect(wrong / words).toBeLessThan(1 / 5000);
});
