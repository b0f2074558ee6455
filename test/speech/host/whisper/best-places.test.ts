/** The places of words, compared with the best ones among all that are possible in short windows. */
import { expect, test } from 'bun:test';
import { placeWords } from '../../../../server/whisper/search/place-words.ts';

/** Numbers from 0 to 1 that look random and are the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

interface Window {
  /** For each 10 ms, whether there is sound. */
  sounds: readonly boolean[];
  /** The letters of the words, and the frames at which attention reaches them and the end. */
  letters: readonly number[];
  attended: readonly number[];
}

/** The sounding frames before each frame. */
const countsOf = ({ sounds }: Window): number[] => {
  const counts = [0];
  for (const one of sounds) counts.push(counts.at(-1)! + Number(one));
  return counts;
};

/** The length of a letter: the median over all letters, of at least one frame. */
function letterLength(attended: readonly number[], letters: readonly number[]): number {
  const each = letters.flatMap((count, at) =>
    Array.from({ length: count }, () => (attended[at + 1]! - attended[at]!) / count),
  );
  return Math.max(1, each.toSorted((a, b) => a - b)[Math.ceil(each.length / 2) - 1]!);
}

/** The parts of a window on which the places of its words depend, in sounding frames. */
function measured(window: Window) {
  const counts = countsOf(window);
  const attended = window.attended.map((frame) => counts[frame]!);
  const all = counts.at(-1)!;
  const pauses = Array.from(
    { length: all + 1 },
    (_, edge) => counts.lastIndexOf(edge) - counts.indexOf(edge),
  );
  const letter = letterLength(attended, window.letters);
  /** How good a word's edge is, after the one before it. */
  const worth = (at: number, edge: number, before: number): number => {
    const reward = 3 * Math.min(1, pauses[edge]! / 30);
    if (at === 0) return reward;
    // Attention is off by 100 ms, as a standard deviation.
    const deviation = (edge - attended[at]!) / 10;
    const length = (edge - before) / (letter * window.letters[at - 1]!);
    return reward - deviation ** 2 / 2 - Math.min(4, 2 * Math.log(length) ** 2);
  };
  return { counts, attended, all, worth };
}

/** The best of all edges: each word has 30 ms or more, and is moved by 200 ms at most; the first begins anywhere before. */
function bestWorth({ attended, all, worth }: ReturnType<typeof measured>): number {
  let best = -Infinity;
  const extend = (at: number, before: number, sum: number): void => {
    if (at === attended.length) {
      best = Math.max(best, sum);
      return;
    }
    const from = at === 0 ? 0 : Math.max(attended[at]! - 20, before + 3);
    const to = Math.min(all, (at === 0 ? attended[1]! : attended[at]!) + 20);
    for (let edge = from; edge <= to; edge += 1) {
      extend(at + 1, edge, sum + worth(at, edge, before));
    }
  };
  extend(0, 0, 0);
  return best;
}

/** A window of words with pauses that are too short to be moved out of a word. */
function randomWindow(next: () => number, words: number): Window {
  const sounds: boolean[] = [];
  while (sounds.length < 40 * words) {
    sounds.push(...Array.from({ length: 9 + Math.floor(next() * 20) }, () => true));
    sounds.push(...Array.from({ length: 12 + Math.floor(next() * 12) }, () => false));
  }
  const letters = Array.from({ length: words }, () => 1 + Math.floor(next() * 9));
  const attended = Array.from({ length: words + 1 }, () => Math.floor(next() * sounds.length));
  return { sounds, letters, attended: attended.toSorted((a, b) => a - b) };
}

test.each([1, 2])('%d words are at the best of all possible places', (count) => {
  let placed = 0;
  for (let seed = 1; seed <= 30; seed += 1) {
    const window = randomWindow(numbers(seed * 7919), count);
    const words = window.letters.map((letters, at) => ({
      text: 'a'.repeat(letters),
      start: window.attended[at]! / 100,
      end: window.attended[at + 1]! / 100,
      confidence: 1,
    }));
    const loudness = Float32Array.from(window.sounds, Number);
    const found = placeWords(words, loudness, 0);
    const measures = measured(window);
    const best = bestWorth(measures);
    if (best === -Infinity) {
      expect(found).toEqual(words);
      continue;
    }
    placed += 1;
    const { counts, worth } = measures;
    const at = (seconds: number) => counts[Math.round(seconds * 100)]!;
    const edges = [...found.map(({ start }) => at(start)), at(found.at(-1)!.end)];
    const sum = edges.reduce(
      (all, edge, index) => all + worth(index, edge, edges[index - 1] ?? 0),
      0,
    );
    expect(sum).toBeCloseTo(best, 6);
    for (const [index, { start, end }] of found.entries()) {
      // A word begins after a pause at its edge, and ends before one.
      expect(Math.round(start * 100)).toBe(counts.lastIndexOf(edges[index]!));
      expect(Math.round(end * 100)).toBe(counts.indexOf(edges[index + 1]!));
    }
  }
  expect(placed).toBeGreaterThan(20);
});

test.each([
  [24, 0.9],
  [25, 1.25],
  [26, 1.26],
])(
  'a word with a pause of %d0 ms in it begins before %d s, or at it from 250 ms on',
  (pause, start) => {
    const loudness = Float32Array.from({ length: 300 + pause }, (_, at) =>
      at < 100 || at >= 100 + pause ? 1 : 0,
    );
    const words = [
      { text: 'abcde', start: 0, end: 0.5, confidence: 1 },
      { text: 'abcdefghij', start: 0.5, end: 4, confidence: 1 },
    ];
    const placed = placeWords(words, loudness, 0);
    if (pause < 25) expect(placed[1]!.start).toBeLessThan(start);
    else expect(placed[1]!.start).toBe(start);
  },
);
