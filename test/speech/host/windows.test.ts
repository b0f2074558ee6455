import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { SpeechSegment } from '../../../server/speech/host/engine-messages.ts';
import { LONGEST_WINDOW, OVERLAP, packWindows } from '../../../server/speech/host/windows.ts';

const segments = fc
  .array(
    fc.tuple(
      fc.double({ min: 0, max: 12, noNaN: true }),
      fc.double({ min: 0.25, max: 70, noNaN: true }),
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(([pause, length]): SpeechSegment => {
      const start = at + pause;
      at = start + length;
      return { start, end: at };
    });
  });

test('windows contain all speech, observe their maximum, and overlap only inside long speech', () => {
  fc.assert(
    fc.property(segments, (speech) => {
      const length = (speech.at(-1)?.end ?? 0) + 1;
      const windows = packWindows(speech, length);
      for (const { start, end } of windows) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(length);
        expect(end - start).toBeLessThanOrEqual(LONGEST_WINDOW + 1e-6);
      }
      for (const segment of speech) {
        let at = segment.start;
        for (const window of windows) if (window.start <= at + 1e-6) at = Math.max(at, window.end);
        expect(at).toBeGreaterThanOrEqual(segment.end - 1e-6);
      }
      for (const [index, window] of windows.entries()) {
        const shared = (windows[index - 1]?.end ?? 0) - window.start;
        if (shared > 1e-6) expect(shared).toBeCloseTo(OVERLAP, 5);
      }
    }),
  );
});

test('short speech fits into one window, no speech into none', () => {
  const inside = [
    { start: 1, end: 5 },
    { start: 2, end: 3 },
  ];
  expect(packWindows(inside, 10)).toEqual([{ start: 0.6, end: 5.4 }]);
  expect(packWindows([], 20)).toEqual([]);
  expect(
    packWindows(
      [
        { start: 1, end: 3 },
        { start: 4, end: 9 },
      ],
      20,
    ),
  ).toEqual([{ start: 0.6, end: 9.4 }]);
});

test('stretches a tenth of a second apart do not touch', () => {
  const window = packWindows(
    [
      { start: 0, end: 0.1 },
      { start: 0.2, end: 40 },
    ],
    41,
  )[0]!;
  expect(window.start).toBe(0);
  expect(window.end).toBeCloseTo(0.15, 9);
});
