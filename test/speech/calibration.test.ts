/** Confidences become the probability that a word is right, and those the estimate of what was heard wrong. */
import { describe, expect, test } from 'bun:test';
import { certaintiesOf, hearingEstimate, isCalibrated } from '../../server/speech/calibration.ts';

const CONFIDENCES = Array.from({ length: 101 }, (_, at) => at / 100);

describe.each(['moonshine', 'whisper'])('the certainty of %s', (engine) => {
  /** The certainty of a word among ten of another confidence. */
  const among = (confidence: number, others: number): number => {
    const around = Array.from({ length: 10 }, () => ({ confidence: others }));
    return certaintiesOf([...around, { confidence }, ...around], engine)[10]!;
  };

  test.each([0.5, 0.9])('rises with the confidence, among words of %p', (others) => {
    const made = CONFIDENCES.map((confidence) => among(confidence, others));
    expect(made).toEqual(made.toSorted((a, b) => a - b));
    expect(made[0]).toBeGreaterThanOrEqual(0);
    expect(made.at(-1)).toBeLessThanOrEqual(1);
    expect(made[0]).toBeLessThan(made.at(-1)! - 0.3);
  });

  test('is lower among words that were heard badly', () => {
    expect(among(0.8, 0.5)).toBeLessThan(among(0.8, 0.95));
  });

  test('is not made up for a word without a confidence, which does not count for others', () => {
    const [first, none, last] = certaintiesOf(
      [{ confidence: 0.9 }, {}, { confidence: 0.9 }],
      engine,
    );
    expect([none, first]).toEqual([undefined, last]);
  });
});

test.each(['deepgram', undefined, 'constructor'])('%s has not been measured', (engine) => {
  expect(isCalibrated(engine)).toBe(false);
});

describe('the estimate', () => {
  const words = (count: number, certainty: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ start: from + at, end: from + at + 1, certainty }));

  test.each([
    [100, 1],
    [100, 0.9],
    [12, 0.7],
    [400, 0.2],
  ])(
    'of %d words that are right at %p lies in its range, and every word in a stretch',
    (count, certainty) => {
      const { wrong, atLeast, atMost, stretches } = hearingEstimate(words(count, certainty))!;
      expect(atLeast).toBeLessThanOrEqual(wrong);
      expect(atMost).toBeGreaterThanOrEqual(wrong);
      expect(atMost).toBeLessThanOrEqual(1);
      expect(Math.abs(wrong - (1 - certainty))).toBeLessThanOrEqual(0.21);
      expect([stretches[0]!.start, stretches.at(-1)!.end]).toEqual([0, count]);
    },
  );

  test('names the stretch that was heard worse, and bounds the number of stretches', () => {
    const talk = [...words(80, 0.98), ...words(40, 0.4, 80), ...words(80, 0.98, 120)];
    const bad = hearingEstimate(talk)!.stretches.filter(({ wrong }) => wrong > 0.25);
    expect(bad).toEqual([{ start: 80, end: 120, wrong: expect.any(Number) }]);
    expect(hearingEstimate(words(100_000, 0.9))!.stretches.length).toBeLessThanOrEqual(200);
  });

  test('is not made of words that have none', () => {
    expect(hearingEstimate([{ start: 0, end: 1 }])).toBeNull();
  });
});
