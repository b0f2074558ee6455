/** Playback logic without a page: frames, snapping, pausing while typing, shots, and doubtful words. */
import { describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import fc from 'fast-check';
import { ShotMeter } from '../../../web/media/shots.ts';
import { doubtfulWords } from '../../../web/review/model/doubtful-words.ts';
import { frameRateOf } from '../../../web/media/frame-rate.ts';
import { snapMove, snapTime } from '../../../web/review/model/snap.ts';
import { createTypingPause } from '../../../web/review/play/typing-pause.ts';
import { at, spoken } from './support.ts';

describe('the frame rate', () => {
  const RATES = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
  const shown = (rate: number, frames: readonly number[]) =>
    frames.map((frame) => Math.round((frame / rate) * 1e6) / 1e6);
  test('is determined from frames with gaps', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RATES),
        fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: 16, maxLength: 30 }),
        (rate, steps) => {
          let frame = 0;
          // Two consecutive frames give the duration of one.
          const frames = [0, ...[1, ...steps].map((step) => (frame += step))];
          expect(frameRateOf(shown(rate, frames))).toBeCloseTo(rate, 6);
        },
      ),
    );
  });
  test('is not determined from too few', () => {
    expect(frameRateOf([])).toBeNull();
    expect(frameRateOf([0, 0.04, 0.08])).toBeNull();
  });
});

describe('an edge', () => {
  const words = spoken('One two three four');
  test('snaps to a shot before speech, to speech before a frame', () => {
    expect(snapTime(0.55, 'start', { words }, 0.25)).toBeCloseTo(0.46, 9);
    expect(snapTime(0.85, 'end', { words }, 0.25)).toBeCloseTo(0.94, 9);
    expect(snapTime(0.55, 'start', { words, shots: [0.3, 0.7] }, 0.25)).toBe(0.7);
    expect(snapTime(0.55, 'start', { words, shots: [2] }, 0.25)).toBeCloseTo(0.46, 9);
    expect(snapTime(7, 'start', { words, shots: [2] }, 0.25)).toBe(7);
    expect(snapTime(0.55, 'start', { words, frame: 1 / 25 }, 0.25)).toBeCloseTo(0.48, 9);
    expect(snapTime(7.01, 'end', { frame: 1 / 25 }, 0)).toBeCloseTo(7, 9);
    expect(snapTime(7.01, 'end', {}, 1)).toBe(7.01);
  });
  test('of a whole caption decides if it is nearer, and keeps the gap on a frame', () => {
    const cue = { start: 3, end: 5 };
    expect(snapMove(cue, 0.5, { shots: [3.4] }, 0.25)).toBeCloseTo(0.4, 9);
    expect(snapMove(cue, 0.5, { shots: [3.4, 5.55] }, 0.25)).toBeCloseTo(0.55, 9);
    expect(snapMove(cue, 0.5, { shots: [4.4] }, 0.25)).toBeCloseTo(0.5, 9);
    const gaps = fc.record({
      before: fc.double({ min: 0, max: 2.9, noNaN: true }),
      after: fc.double({ min: 5.1, max: 8, noNaN: true }),
      rate: fc.constantFrom(24, 25, 30, 60),
    });
    fc.assert(
      fc.property(gaps, ({ before, after, rate }) => {
        const neighbours = { before: { start: 0, end: before }, after: { start: after, end: 9 } };
        const magnets = { neighbours, frame: 1 / rate };
        const start = snapTime(before + 0.1, 'start', magnets, 0.05);
        const end = snapTime(after - 0.1, 'end', magnets, 0.05);
        for (const at of [start, end])
          expect(Math.abs(at * rate - Math.round(at * rate))).toBeLessThan(1e-6);
        expect(start).toBeGreaterThanOrEqual(before + 0.084 - 1e-9);
        expect(end).toBeLessThanOrEqual(after - 0.084 + 1e-9);
        expect(start - before).toBeLessThan(0.084 + 1 / rate);
        expect(after - end).toBeLessThan(0.084 + 1 / rate);
      }),
    );
  });
});

describe('pausing while typing', () => {
  const patient = (isWanted = true) => {
    const playing = signal(true);
    const time = signal(10);
    const done: string[] = [];
    let waits: (() => void) | null = null;
    const patience = createTypingPause(
      {
        playing,
        time,
        pause: () => {
          playing.value = false;
          done.push('pause');
        },
        playFrom: (from) => {
          playing.value = true;
          done.push(`play ${from}`);
        },
      },
      signal(isWanted),
      (work) => {
        waits = work;
        return () => {
          waits = null;
        };
      },
    );
    return { patience, done, playing, wait: () => waits?.() };
  };
  test('pauses at the first key and resumes slightly earlier', () => {
    const { patience, done, wait } = patient();
    patience.typed();
    patience.typed();
    wait();
    expect(done).toEqual(['pause', 'pause', 'play 9']);
  });
  test('does nothing if paused, if the user has paused, or if it is off', () => {
    const standing = patient();
    standing.playing.value = false;
    standing.patience.typed();
    standing.wait();
    expect(standing.done).toEqual([]);
    const stopped = patient();
    stopped.patience.typed();
    stopped.patience.forget();
    stopped.wait();
    expect(stopped.done).toEqual(['pause']);
    const unwanted = patient(false);
    unwanted.patience.typed();
    expect(unwanted.done).toEqual([]);
  });
});

describe('shots', () => {
  const frame = (level: number, noise = 0) =>
    Array.from({ length: 64 * 4 }, (_, i) => level + (((i * 7919) % 13) / 13) * noise);
  test('are detected by a jump, not by a fade, a pan or grain', () => {
    const meter = new ShotMeter();
    for (let i = 0; i < 100; i += 1) {
      const level = i < 30 ? 40 : i < 60 ? 200 : 200 - (i - 60) * 4;
      meter.add(frame(level, i % 2 === 0 ? 6 : 0), i / 25);
    }
    expect(meter.shots).toEqual([30 / 25]);
  });
});

describe('doubtful words', () => {
  const words = spoken('We use the off kit for the team.').map((word, index) => ({
    ...word,
    confidence: [2, 4, 6].includes(index) ? 0.3 : 0.9,
  }));
  const found = (text: string, from = 0, to = 5) => {
    const cue = at(1, from, to, text);
    return doubtfulWords(cue, words, 0.5).map(({ from, to, word }) => [text.slice(from, to), word]);
  };
  test('are found in the text, whatever the lines and punctuation', () => {
    expect(found('We use the off kit\nfor the team.')).toEqual([
      ['the', 2],
      ['kit', 4],
      ['the', 6],
    ]);
    expect(found('“We” use <i>the</i> off KIT, for the team.')).toEqual([
      ['the', 2],
      ['KIT', 4],
      ['the', 6],
    ]);
  });
  test('are not doubtful once they were changed', () => {
    expect(found('We use an AuthKit for the team.')).toEqual([['the', 6]]);
    expect(found('')).toEqual([]);
  });
  test('are not doubtful if a term has replaced them, or nothing is known about them', () => {
    const corrected = words.map((word) => ({ ...word, original: ['the'] }));
    expect(doubtfulWords(at(1, 0, 5, 'We use the off kit'), corrected, 0.5)).toEqual([]);
    expect(doubtfulWords(at(1, 0, 5, 'We use the off kit'), spoken('We use the'), 0.5)).toEqual([]);
  });
});
