/** The preview of a run: in chronological order, without duplicates, in parts of limited size. */
import { describe, expect, test } from 'bun:test';
import { createHeardSoFar, type HeardPart } from '../../server/pipeline/heard-so-far.ts';

/** Words, one per second from a time on. */
const words = (from: number, count: number, text = 'w') =>
  Array.from({ length: count }, (_, at) => ({
    text: `${text}${from + at}`,
    start: from + at,
    end: from + at + 0.7,
  }));

function listening(after = 0) {
  const parts: HeardPart[] = [];
  const soFar = createHeardSoFar({ after, tell: (told) => void parts.push(...told) });
  return { parts, soFar, text: () => parts.map((part) => part.text).join(' ') };
}
const all = (count: number): string =>
  words(0, count)
    .map(({ text }) => text)
    .join(' ');

describe('what was heard', () => {
  test('of pieces at the same time is told in order of time', () => {
    const { soFar, text } = listening();
    soFar.take(0, words(0, 5));
    soFar.take(1, words(10, 5));
    expect(text()).toBe(all(5));
    soFar.take(0, words(5, 5));
    soFar.finish(1, words(10, 10));
    expect(text()).toBe(all(10));
    soFar.finish(0, words(0, 10));
    expect(text()).toBe(all(20));
  });

  test('by a piece that is repeated, or overlaps the one before, is told once', () => {
    const { soFar, text } = listening();
    soFar.take(0, words(0, 5));
    soFar.take(0, words(0, 8));
    soFar.finish(0, words(0, 8));
    soFar.take(1, words(6, 4));
    soFar.finish(1, words(6, 6));
    expect(text()).toBe(all(12));
  });

  test('before a restart is not told again', () => {
    const { soFar, text } = listening(4.7);
    soFar.finish(0, words(0, 5));
    soFar.take(1, words(5, 2));
    expect(text()).toBe('w5 w6');
  });

  test('at once comes in parts of at most half a minute, with their times', () => {
    const { soFar, parts, text } = listening();
    soFar.finish(0, words(0, 3600));
    expect(text()).toBe(all(3600));
    for (const [at, part] of parts.entries()) {
      expect(part.end - part.start).toBeLessThanOrEqual(30);
      expect(part.start).toBeGreaterThanOrEqual(parts[at - 1]?.end ?? 0);
      expect(part.text.length).toBeLessThanOrEqual(2000);
    }
  });

  test('is bounded, whatever a provider says it heard', () => {
    const { soFar, parts } = listening();
    const long = words(0, 3000).map((word) => ({ ...word, text: 'x'.repeat(10_000) }));
    soFar.finish(0, long);
    soFar.finish(1, words(4000, 3000, 'y'.repeat(3000)));
    soFar.finish(2, words(9000, 10));
    expect(parts.every((part) => part.text.length <= 2000)).toBe(true);
    const size = parts.reduce((sum, part) => sum + part.text.length, 0);
    expect(size).toBeLessThan(9_000_000);
    expect(parts.at(-1)!.end).toBeLessThan(9000);
  });
});
