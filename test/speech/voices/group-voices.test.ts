/** Voiceprints grouped by speaker, on synthetic prints as noisy as real ones. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { groupVoices, type Voiceprint } from '../../../server/speech/voices/group-voices.ts';

const SIZE = 32;

/** Pseudo-random numbers around 0. */
function random(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  const uniform = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  return () => uniform() + uniform() + uniform() - 1.5;
}

/** Prints of people, whose own prints have a cosine of about .7 with each other, and those of different people about 0. */
function printsOf(people: readonly number[], seed: number): Voiceprint[] {
  const noise = random(seed);
  return people.map((person) => ({
    print: Array.from({ length: SIZE }, (_, at) => (at === person ? 1 : 0) + 0.2 * noise()),
    seconds: 3,
  }));
}

const inOrder = (groups: readonly number[]): number[] => {
  const order = [...new Set(groups)];
  return groups.map((group) => order.indexOf(group));
};

test('one to six people are as many groups, whatever the order of their turns', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(1000), { minLength: 0, maxLength: 60 }),
      fc.nat(),
      (count, turns, seed) => {
        // Everyone speaks at least twice.
        const everyone = Array.from({ length: 2 * count }, (_, at) => at % count);
        const people = [...everyone, ...turns.map((turn) => turn % count)];
        const groups = groupVoices(printsOf(people, seed), { alike: 0.5, least: 3, most: 40 });
        expect(groups).toEqual(inOrder(people));
      },
    ),
    { numRuns: 40 },
  );
});

test('a group with too little speech joins the most similar one, unless all have too little', () => {
  const voices = [
    { print: [1, 0, 0], seconds: 20 },
    { print: [0, 1, 0], seconds: 20 },
    { print: [0.4, 0.1, 1], seconds: 2 },
  ];
  expect(groupVoices(voices, { alike: 0.9, least: 3, most: 40 })).toEqual([0, 1, 0]);
  expect(groupVoices(voices, { alike: 0.9, least: 30, most: 40 })).toEqual([0, 1, 2]);
});

test('there are as many groups as are known, or fewer', () => {
  const people = Array.from({ length: 30 }, (_, at) => at % 5);
  const counts = [1, 2, 3, 5, 9].map(
    (most) => new Set(groupVoices(printsOf(people, 7), { alike: 0.5, least: 0, most })).size,
  );
  expect(counts).toEqual([1, 2, 3, 5, 5]);
});

test('prints without a direction, and none at all', () => {
  expect(groupVoices([], { alike: 0.5, least: 0, most: 40 })).toEqual([]);
  const voices = [
    { print: [0, 0], seconds: 1 },
    { print: [1, 0], seconds: 1 },
    { print: [0, 0], seconds: 0 },
  ];
  expect(groupVoices(voices, { alike: 0.5, least: 0, most: 40 }).length).toBe(3);
});
