/** The preview of a run: in chronological order, without duplicates, in parts of limited size. */
import { describe, expect, test } from 'bun:test';
import {
  createPartialTranscript,
  type TranscriptPart,
} from '../../server/pipeline/partial-transcript.ts';

/** Words, one per second from a time on. */
const words = (from: number, count: number, text = 'w') =>
  Array.from({ length: count }, (_, at) => ({
    text: `${text}${from + at}`,
    start: from + at,
    end: from + at + 0.7,
  }));

function listening(after = 0) {
  const parts: TranscriptPart[] = [];
  const soFar = createPartialTranscript({ after, report: (told) => void parts.push(...told) });
  return { parts, soFar, text: () => parts.map((part) => part.text).join(' ') };
}
const all = (count: number): string =>
  words(0, count)
    .map(({ text }) => text)
    .join(' ');

describe('recognised words', () => {
  test('of simultaneous pieces are reported in order of time', () => {
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

  test('of pieces that end before an earlier one follow it at once', () => {
    const { soFar, text } = listening();
    soFar.finish(2, words(20, 10));
    soFar.finish(1, words(10, 10));
    expect(text()).toBe('');
    soFar.finish(0, words(0, 10));
    expect(text()).toBe(all(30));
    soFar.take(3, words(30, 1));
    expect(text()).toBe(all(31));
  });

  test('of a repeated or overlapping piece are reported once', () => {
    const { soFar, text } = listening();
    soFar.take(0, words(0, 5));
    soFar.take(0, words(0, 8));
    soFar.finish(0, words(0, 8));
    soFar.take(1, words(6, 4));
    soFar.finish(1, words(6, 6));
    expect(text()).toBe(all(12));
  });

  test('from before a restart are not reported again', () => {
    const { soFar, text } = listening(4.7);
    soFar.finish(0, words(0, 5));
    soFar.take(1, words(5, 2));
    expect(text()).toBe('w5 w6');
  });

  test('that arrive together are reported in parts of at most half a minute, with their times', () => {
    const { soFar, parts, text } = listening();
    soFar.finish(0, words(0, 3600));
    expect(text()).toBe(all(3600));
    for (const [at, part] of parts.entries()) {
      expect(part.end - part.start).toBeLessThanOrEqual(30);
      expect(part.start).toBeGreaterThanOrEqual(parts[at - 1]?.end ?? 0);
      expect(part.text.length).toBeLessThanOrEqual(2000);
    }
  });

  test('are limited, whatever a provider returns', () => {
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

describe('a part of the preview', () => {
  const at = (start: number, end: number, text = 'w') => ({ text, start, end });
  const told = (words: ReturnType<typeof at>[], after = 0) => {
    const { soFar, parts } = listening(after);
    soFar.finish(0, words);
    return parts.map(({ start, end, text }) => [start, end, text]);
  };

  test('ends after half a minute from its own beginning', () => {
    expect(told([at(100, 101), at(129, 130), at(130, 131)])).toEqual([
      [100, 130, 'w w'],
      [130, 131, 'w'],
    ]);
    // In one that begins the recording, too.
    expect(told([at(0, 1), at(29, 30), at(30, 30.1)])).toHaveLength(2);
  });

  test('ends after a thousand characters, and each has a thousand of its own', () => {
    const long = 'x'.repeat(400);
    const words = Array.from({ length: 9 }, (_, each) => at(each, each + 0.5, long));
    const texts = told(words).map(([, , text]) => String(text).split(' ').length);
    expect(texts).toEqual([3, 3, 3]);
    // With the space after each word: exactly a thousand are not too many.
    const half = Array.from({ length: 3 }, (_, each) => at(each, each + 0.5, 'x'.repeat(499)));
    expect(told(half)).toHaveLength(1);
  });

  test('has no word with its middle in an earlier part', () => {
    expect(told([at(3, 4), at(4.2, 5)], 3.5)).toEqual([[4.2, 5, 'w']]);
    expect(told([at(3, 4.1)], 3.5)).toEqual([[3, 4.1, 'w']]);
  });
});

test('portions of a piece are held until their turn, and reported once', () => {
  const { soFar, text, parts } = listening();
  soFar.take(2, words(20, 1));
  soFar.take(1, words(10, 1));
  soFar.take(1, words(11, 1));
  soFar.finish(2, []);
  expect(parts).toEqual([]);
  soFar.finish(0, []);
  expect(text()).toBe('w10 w11');
  soFar.finish(1, words(10, 2));
  expect(text()).toBe('w10 w11 w20');
  // A piece that is over is not listened to any more.
  soFar.take(0, words(50, 1));
  expect(text()).toBe('w10 w11 w20');
});

test('a piece is held until its turn, even if earlier ones are over', () => {
  const { soFar, text } = listening();
  soFar.finish(0, words(0, 1));
  soFar.take(2, words(20, 1));
  soFar.finish(1, words(10, 1));
  expect(text()).toBe('w0 w10 w20');
});

test('a piece without words is not reported', () => {
  const told: TranscriptPart[][] = [];
  createPartialTranscript({ after: 0, report: (parts) => told.push(parts) }).finish(0, []);
  expect(told).toEqual([]);
});
