/** Fixing all warnings of a review at once. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { fixAll } from '../../../web/review/model/fix.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { at, rules, settings, someCues, texts } from './support.ts';

const penaltyOf = (cues: readonly ReviewCue[]): number =>
  cues.reduce(
    (sum, cue, index) => sum + assessCue(cue, cues[index + 1], settings, 'en').penalty,
    0,
  );

const fixed = (cues: readonly ReviewCue[]): readonly ReviewCue[] =>
  (fixAll(cues, rules(99))?.splices ?? []).reduce(applySplice, cues);

const wordsOf = (cues: readonly ReviewCue[]): string[] => texts(cues).join(' ').split(/\s+/);

test('for any captions: no word is lost, captions stay in order, and the score does not get worse', () => {
  fc.assert(
    fc.property(someCues, (cues) => {
      const made = fixAll(cues, rules(99));
      const now = fixed(cues);
      expect(wordsOf(now)).toEqual(wordsOf(cues));
      expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
      for (const [index, cue] of now.entries()) {
        expect(cue.end).toBeGreaterThan(cue.start);
        expect(cue.start).toBeGreaterThanOrEqual(now[index - 1]?.end ?? 0);
      }
      // Every single fix gains something.
      let before: readonly ReviewCue[] = cues;
      for (const splice of made?.splices ?? []) {
        const after = applySplice(before, splice);
        expect(penaltyOf(after)).toBeLessThan(penaltyOf(before));
        before = after;
      }
    }),
  );
});

test('a caption whose one line is too long gets two, and is counted once', () => {
  const long = 'They shipped an MCP server for the team last night at nine.';
  const cues = [at(1, 0, 5, long), at(2, 6, 8, 'Good night.')];
  expect(fixAll(cues, rules(99))?.captions).toBe(1);
  expect(texts(fixed(cues))[0]).toContain('\n');
});

test('captions that are divided in several have ids of their own', () => {
  const long = 'They shipped an MCP server last night, and nobody went to bed. '.repeat(4).trim();
  const now = fixed([at(1, 0, 20, long), at(2, 21, 41, long)]);
  expect(now.length).toBeGreaterThan(5);
  expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
});

test('if nothing can be fixed there is no edit', () => {
  expect(fixAll([at(1, 0, 2, 'Good night.')], rules(99))).toBeNull();
});
