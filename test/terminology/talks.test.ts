/**
 * The share of terms corrected in talks about the packs' subjects, without touching other words.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { seedMishears } from './seeded.ts';
import { applyCorrections, audit, packs, textOf, wordsOf } from './support.ts';
import { TALKS } from './talks.ts';

setDefaultTimeout(300_000);

const talks = Object.entries(TALKS);

test.each(talks)('%s: correct words are left unchanged', async (_name, talk) => {
  const { corrections } = await audit(wordsOf(talk));
  expect(corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
  // A person has to check at most one suggestion in three hundred words.
  expect(corrections.length).toBeLessThanOrEqual(1);
});

test.each(talks)('%s: without capitals, only terms get them back', async (_name, talk) => {
  const words = wordsOf(talk.toLowerCase());
  const truth = talk.split(' ');
  const { corrections } = await audit(words);
  const made = corrections.filter(({ decision }) => decision === 'accepted');
  expect(made.length).toBeGreaterThan(5);
  for (const { firstWord, lastWord, after } of made) {
    expect(after).toBe(truth.slice(firstWord, lastWord + 1).join(' '));
  }
});

describe('mishears of the packs in place of their terms', () => {
  const seeded = Array.from({ length: 12 }, (_, seed) =>
    talks.map(([, talk]) => seedMishears(talk, packs, seed)),
  ).flat();

  test('at least four in five are corrected, and all changes are right', async () => {
    const counts = { seeded: 0, fixed: 0, observed: 0 };
    for (const { words, seeds } of seeded) {
      const { corrections } = await audit(words);
      for (const { canonical, first, last } of seeds) {
        const found = corrections.filter(
          (correction) => correction.firstWord <= last && correction.lastWord >= first,
        );
        const right = found.filter(({ after }) => after.includes(canonical));
        counts.seeded += 1;
        counts.observed += right.length > 0 ? 1 : 0;
        counts.fixed += right.some(({ decision }) => decision === 'accepted') ? 1 : 0;
      }
      const made = corrections.filter(({ decision }) => decision === 'accepted');
      for (const { firstWord, lastWord, after } of made) {
        const seed = seeds.find(({ first, last }) => firstWord <= last && lastWord >= first);
        expect(`${after} in place of ${seed?.canonical}`).toContain(seed?.canonical ?? '–');
      }
    }
    expect(counts.seeded).toBeGreaterThan(900);
    expect(counts.fixed / counts.seeded).toBeGreaterThanOrEqual(0.8);
    expect(counts.observed / counts.seeded).toBeGreaterThanOrEqual(0.88);
  });

  test('a corrected talk needs no further corrections', async () => {
    for (const { words } of seeded.slice(0, 10)) {
      const once = applyCorrections(words, (await audit(words)).corrections);
      const twice = applyCorrections(once, (await audit(once)).corrections);
      expect(textOf(twice)).toBe(textOf(once));
    }
  });
});
