/** The figures on the reliability of captions, and the sentence about them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  confidenceSummary,
  confidenceFigures,
  scoreAndConfidence,
  UNSURE_BELOW,
} from '../../server/contract/confidence.ts';

describe('figures', () => {
  test('without confidences there are no figures', () => {
    expect(confidenceFigures([])).toBeNull();
    expect(confidenceFigures([{}, {}])).toBeNull();
  });
  test('words without a confidence change nothing', () => {
    expect(confidenceFigures([{}, { confidence: 0.4 }, {}, { confidence: 0.5 }])).toEqual({
      meanConfidence: 0.45,
      unsureWords: 1,
      unsureBelow: UNSURE_BELOW,
    });
  });
  test('the mean is rounded to thousandths', () => {
    const words = [0.1, 0.2, 0.2].map((confidence) => ({ confidence }));
    expect(confidenceFigures(words)?.meanConfidence).toBe(0.167);
  });
  test('the mean is within the confidences, and no more words are unsure than exist', () => {
    const list = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(list, (confidences) => {
        const { meanConfidence, unsureWords } = confidenceFigures(
          confidences.map((confidence) => ({ confidence })),
        )!;
        expect(meanConfidence).toBeGreaterThanOrEqual(Math.min(...confidences) - 0.001);
        expect(meanConfidence).toBeLessThanOrEqual(Math.max(...confidences) + 0.001);
        expect(unsureWords).toBe(confidences.filter((value) => value < UNSURE_BELOW).length);
      }),
    );
  });
});

describe('as a sentence', () => {
  test('contains both figures, and names a fallback', () => {
    expect(scoreAndConfidence(0.987, { unsureWords: 46, rough: true }, 1200)).toBe(
      'Captions 0.99 · 46 of 1,200 words unsure (rough fallback engine)',
    );
    expect(scoreAndConfidence(1, { unsureWords: 0 }, 1)).toBe('Captions 1.00 · 0 of 1 word unsure');
    expect(confidenceSummary({ unsureWords: 1, rough: 'no' }, 12)).toBe('1 of 12 words unsure');
    expect(confidenceSummary({ unsureWords: 1046 }, 1200)).toBe('1,046 of 1,200 words unsure');
  });
  test('does not suggest certainty for an engine without confidences', () => {
    expect(confidenceSummary({}, 12)).toBe('12 words, the engine reports no confidence');
    expect(confidenceSummary({ unsureWords: 'none' }, 12)).toContain('reports no confidence');
  });
  test('silence has no doubtful words', () => {
    expect(scoreAndConfidence(1, { rough: true }, 0)).toBe('Captions 1.00');
  });
});
