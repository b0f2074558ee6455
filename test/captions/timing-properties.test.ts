/** Properties of cue times that hold for any speech. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { timeCues, type Spoken } from '../../server/captions/divide/timing.ts';

setDefaultTimeout(300_000);

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

test('for any speech: cues are in order, do not overlap, and last as long as neighbours allow', () => {
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
        // A cue is too short only if the next cue's speech comes too soon.
        if (end - start < least) expect(end).toBe(next);
        // A cue starts at most 0.4 s before its speech.
        expect(start).toBeGreaterThanOrEqual(Math.round(speech.start * 1000) - 400);
        // It ends soon after its speech, unless it is needed for reading or closes a small gap.
        const spokenFor = Math.min(speech.end - speech.start, given.maxDuration);
        const latest = (speech.start + Math.max(given.minDuration, spokenFor + 1)) * 1000 + 500;
        expect(end).toBeLessThanOrEqual(Math.round(latest) + cues.length);
        // A gap is nothing, two frames, or a pause, so that nothing flickers.
        const gap = next - end;
        const longest = Math.round(given.maxDuration * 1000);
        if (gap > 84 && gap < 500) expect(end - start).toBe(longest);
        expect(gap === 0 || gap >= 84).toBe(true);
        // A cue is too fast to read only if no gap is left, or the silence or the maximum ends it.
        const lasts = Math.min(longest, Math.round((speech.columns / 20) * 1000));
        if (end - start < lasts && gap > 0 && gap < 500)
          expect(next - start).toBeGreaterThan(longest);
      }
    }),
    { numRuns: 500 },
  );
});

/** Speech of 12 to 30 columns a second, in cues within the maximum duration. */
const plausible = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 34, max: 83 }),
      fc.integer({ min: 2, max: 84 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(([pause, each, columns]): Spoken => {
      const start = (at += pause) / 1000;
      return { start, end: (at += each * columns) / 1000, columns };
    });
  });

test('a cue that is too short leaves no time unused beside it, and begins early only for that', () => {
  const given = { maxLineChars: 42, maxLines: 2, maxDuration: 10, minDuration: 0.8 };
  fc.assert(
    fc.property(plausible, (cues) => {
      const times = timeCues(cues, given);
      // A cue stays at most a second after its speech.
      const needs = cues.map(({ start, end, columns }) =>
        Math.max(800, Math.min((columns / 20) * 1000, (end - start + 1) * 1000)),
      );
      for (const [at, { start, end }] of times.entries()) {
        const speech = cues[at]!;
        const [before, next] = [times[at - 1], times[at + 1]];
        const lead = Math.round(speech.start * 1000) - start;
        const lacks = needs[at]! - (end - start);
        // A next cue that starts early may close the gap after this one.
        const nextLeads = next && next.start < Math.round(cues[at + 1]!.start * 1000);
        if (lead > 84 && !nextLeads) {
          const reads = Math.max(800, (speech.columns / 20) * 1000);
          expect(end - start - (lead - 84)).toBeLessThanOrEqual(reads + 1);
        }
        if (lacks <= 1) continue;
        expect(next?.start).toBe(end);
        const earlier = before
          ? Math.max(cues[at - 1]!.end * 1000, before.start + needs[at - 1]!)
          : 0;
        expect(Math.min(start - earlier, 400 - lead)).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 500 },
  );
});
