/** The cuts of a recording if everything in it counts as speech. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SPEECH_RATE } from '../../../server/mp3/resample.ts';
import { everything } from '../../../server/speech/host/voice-activity.ts';
import { LONGEST_WINDOW, OVERLAP, packWindows } from '../../../server/speech/host/windows.ts';
import { rounds } from '../../support/fuzz.ts';

const { signal } = new AbortController();

/** A tone for each even entry and silence for each odd one, in seconds. */
function sound(parts: readonly number[]): Float32Array {
  const samples = new Float32Array(
    parts.reduce((sum, part) => sum + Math.round(part * SPEECH_RATE), 0),
  );
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const count = Math.round(part * SPEECH_RATE);
    if (index % 2 === 0) for (let i = 0; i < count; i += 1) samples[at + i] = Math.sin(i / 5) / 2;
    at += count;
  }
  return samples;
}

test('cuts are in the middle of each pause of 0.3 s, and nowhere else', async () => {
  const segments = await everything(sound([5, 0.6, 4, 0.2, 3, 2, 1]), signal);
  expect(segments).toHaveLength(3);
  const [first, second, third] = segments;
  expect(first?.start).toBe(0);
  // The gap between two segments lies around the middle of the pause, wherever frames begin.
  expect((first!.end + second!.start) / 2).toBeCloseTo(5.3, 1);
  expect((second!.end + third!.start) / 2).toBeCloseTo(13.8, 1);
  expect(third?.end).toBeCloseTo(15.8, 3);
  for (const [at, segment] of segments.slice(1).entries()) {
    expect(segment.start - segments[at]!.end).toBeLessThanOrEqual(0.4 + 1e-9);
    expect(segment.start - segments[at]!.end).toBeGreaterThan(0.25);
  }
});

test('a short sound between two pauses is not cut', async () => {
  const segments = await everything(sound([5, 0.5, 0.1, 0.5, 5]), signal);
  expect(segments).toHaveLength(3);
  expect(segments[1]!.start).toBeLessThan(5.5);
  expect(segments[1]!.end).toBeGreaterThan(5.6);
});

test('silence, and sound without pauses, are not cut', async () => {
  expect(await everything(sound([0, 20]), signal)).toEqual([{ start: 0, end: 20 }]);
  expect(await everything(sound([20]), signal)).toEqual([{ start: 0, end: 20 }]);
  expect(await everything(new Float32Array(0), signal)).toEqual([{ start: 0, end: 0 }]);
});

test('windows cover everything, and meet in a pause if there is one', async () => {
  const parts = fc.array(fc.double({ min: 0.1, max: 6, noNaN: true }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(parts, async (durations) => {
      const samples = sound(durations);
      const length = samples.length / SPEECH_RATE;
      const windows = packWindows(await everything(samples, signal), length);
      expect(windows[0]!.start).toBe(0);
      expect(windows.at(-1)!.end).toBeCloseTo(length, 6);
      for (const [at, { start }] of windows.slice(1).entries()) {
        const shared = windows[at]!.end - start;
        // No time is left out; only a stretch without a pause is cut with an overlap.
        expect(shared).toBeGreaterThan(-1e-6);
        expect(Math.min(Math.abs(shared), Math.abs(shared - OVERLAP))).toBeLessThan(1e-6);
      }
      for (const { start, end } of windows) expect(end - start).toBeLessThan(LONGEST_WINDOW + 1e-6);
    }),
    { numRuns: rounds(40) },
  );
});
