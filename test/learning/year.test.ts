/** Simulates a year of talks: corrections carry over to later talks, and ordinary words stay unchanged. */
import { expect, test } from 'bun:test';
import { simulateYear } from '../../bench/learning/year.ts';

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
