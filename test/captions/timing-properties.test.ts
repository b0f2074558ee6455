/** Properties of cue times that hold for any speech. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { timeCues, type Spoken } from '../../server/captions/timing.ts';

setDefaultTimeout(60_000);

const spoken = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 0, max: 9000 }),
      fc.integer({ min: 1, max: 120 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(([pause, length, columns]): Spoken => {
      const start = (at += pause) / 1000;
      return { start, end: (at += length) / 1000, columns };
    });
  });
const settings = fc.record({
  maxLineChars: fc.constant(42),
  maxLines: fc.constant(2),
  maxDuration: fc.double({ min: 2, max: 10, noNaN: true }),
  minDuration: fc.double({ min: 0.2, max: 2, noNaN: true }),
});

test('whatever is spoken: in order, apart, as long as the neighbours allow', () => {
  fc.assert(
    fc.property(spoken, settings, (cues, given) => {
      const times = timeCues(cues, given);
      const least = Math.round(given.minDuration * 1000);
      for (const [at, { start, end }] of times.entries()) {
        const next = times[at + 1]?.start ?? Number.POSITIVE_INFINITY;
        const speech = cues[at]!;
        expect([start, end].every((time) => Number.isInteger(time) && time >= 0)).toBe(true);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(next);
        expect(end - start).toBeLessThanOrEqual(Math.round(given.maxDuration * 1000));
        // Too short only where the next cue's speech comes too soon for it.
        if (end - start < least) expect(end).toBe(next);
        // Never more than a blink before the speech, never long after it: to be read, or instead of a small gap.
        expect(start).toBeGreaterThanOrEqual(Math.round(speech.start * 1000) - 200);
        const spokenFor = Math.min(speech.end - speech.start, given.maxDuration);
        const latest = (speech.start + Math.max(given.minDuration, spokenFor + 1)) * 1000 + 500;
        expect(end).toBeLessThanOrEqual(Math.round(latest) + cues.length);
        // No flicker: a gap is none, or two frames, or a pause.
        const gap = next - end;
        const longest = Math.round(given.maxDuration * 1000);
        if (gap > 84 && gap < 500) expect(end - start).toBe(longest);
        expect(gap === 0 || gap >= 84).toBe(true);
        // Too fast to be read only where no gap is left, or the silence or the most ends it.
        const lasts = Math.min(longest, Math.round((speech.columns / 20) * 1000));
        if (end - start < lasts && gap > 0 && gap < 500)
          expect(next - start).toBeGreaterThan(longest);
      }
    }),
    { numRuns: 500 },
  );
});
