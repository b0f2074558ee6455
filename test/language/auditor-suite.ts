/** The suite that every auditor has to pass. */
import { describe, expect, test } from 'bun:test';
import { validator } from '../../server/contract/schema.ts';
import { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import type { Auditor } from '../../server/language/ask.ts';
import { spanText } from '../../server/terminology/match/replace.ts';
import { applyCorrections, everyTerm, wordsOf } from '../terminology/support.ts';

const talk = wordsOf(
  'off kit checks the pixie flow of directorysync for audit logs at anthropik, "work os\'s" verifier ' +
    '— … and an mcp-based sever | mcp sever of cloud flare, so to say.',
);

/** Runs the suite on one auditor. */
export function auditorSuite(auditor: Auditor): void {
  const terms = everyTerm({ glossary: ['Grace Hopper'] });
  const audit = (words = talk, minConfidence = 0.85, progress: (at: number) => void = () => {}) =>
    auditor.audit(
      { words, language: 'en', terms, minConfidence },
      { signal: new AbortController().signal, progress },
    );

  describe(`auditor ${auditor.name}`, () => {
    test('has its name and is plain JSON', async () => {
      const outcome = await audit();
      expect(outcome.provider).toBe(auditor.name);
      expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    });

    test('decides by the contract, on existing words, in order, without overlaps', async () => {
      const { corrections, observations } = await audit();
      let next = 0;
      for (const [at, correction] of corrections.entries()) {
        expect(validator(TermCorrection).issues(correction)).toEqual([]);
        const { firstWord, lastWord, before, after } = correction;
        expect(correction.id).toBe(`c${at + 1}`);
        expect(firstWord).toBeGreaterThanOrEqual(next);
        expect(before).toBe(spanText(talk, firstWord, lastWord));
        expect(after).not.toBe(before);
        next = lastWord + 1;
      }
      expect(observations.map(({ correctionId }) => correctionId)).toEqual(
        corrections.map(({ id }) => id),
      );
      for (const observation of observations) {
        expect(validator(TermObservation).issues(observation)).toEqual([]);
      }
    });

    test('finds nothing to change in corrected words', async () => {
      const once = applyCorrections(talk, (await audit()).corrections);
      expect(applyCorrections(once, (await audit(once)).corrections)).toEqual(once);
    });

    test('does not change the words it is given', async () => {
      const before = structuredClone(talk);
      await audit();
      expect(talk).toEqual(before);
    });

    test('reports progress up to the end', async () => {
      const told: number[] = [];
      await audit(talk, 0.85, (at) => void told.push(at));
      expect(told.at(-1)).toBe(1);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
    });

    test('stops when the run is cancelled', () => {
      const signal = AbortSignal.abort(new Error('cancelled'));
      const outcome = auditor.audit(
        { words: talk, language: 'en', terms, minConfidence: 0.85 },
        { signal, progress: () => {} },
      );
      expect(outcome).rejects.toThrow('cancelled');
    });
  });
}
