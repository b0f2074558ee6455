/** Edges snap to shots, words, neighbours and frames; typing pauses the recording. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { snapTime } from '../../../web/review/model/snap.ts';
import { at } from './support.ts';
import { signal } from '@preact/signals';
import fc from 'fast-check';
import { frameRateOf } from '../../../web/media/frame-rate.ts';
import { createTypingPause } from '../../../web/review/play/transport.ts';

describe('an edge snaps', () => {
  const heard = [{ text: 'We', start: 10, end: 10.4 }];
  const snap = (
    time: number,
    edge: 'start' | 'end',
    magnets: Parameters<typeof snapTime>[2],
    reach = 0.1,
  ) => Number(snapTime(time, edge, magnets, reach).toFixed(3));

  test('to the nearest target within reach, with shots taking precedence', () => {
    expect(snap(10.05, 'start', { words: heard, shots: [10.1] })).toBe(10.1);
    expect(snap(5.5, 'start', { shots: [5, 5.42, 5.57, 6] })).toBe(5.57);
    expect(snap(5.5, 'start', { shots: [5, 5.44, 5.57, 6] })).toBe(5.44);
    // A shot at the very beginning counts too.
    const early = [{ text: 'We', start: 0.1, end: 0.5 }];
    expect(snap(0.05, 'start', { words: early, shots: [0] })).toBe(0);
    // A word that ended is a target while the next one is spoken.
    const close = [...heard, { text: 'see', start: 10.45, end: 11 }];
    expect(snap(10.5, 'end', { words: close })).toBe(10.44);
    // Of two at the same distance, the first.
    expect(snap(5.5, 'start', { shots: [5.375, 5.625] }, 0.125)).toBe(5.375);
    const many = Array.from({ length: 8 }, (_, index) => ({
      text: 'x',
      start: index,
      end: index + 0.5,
    }));
    expect([snap(3.55, 'end', { words: many }), snap(4.93, 'start', { words: many })]).toEqual([
      3.54, 4.96,
    ]);
  });

  test('to the frame, and next to a neighbour to the frame that keeps the gap', () => {
    expect(snap(10.03, 'start', { frame: 0.04 })).toBe(10.04);
    expect(snap(10.01, 'start', { frame: 0.04 })).toBe(10);
    const neighbours = { before: at(1, 0, 9.926), after: at(3, 12, 14) };
    expect(snap(10.01, 'start', { frame: 0.04, neighbours })).toBe(10.04);
    expect(snap(9.99, 'start', { frame: 0.04, neighbours }, 0)).toBe(10);
    expect(snap(11.914, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.88);
    expect(snap(11.8, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.8);
    // A frame exactly at the gap keeps it.
    const exact = { before: at(1, 0, 0.916) };
    expect(snap(1, 'start', { frame: 0.5, neighbours: exact }, 0)).toBe(1);
  });
});

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

describe('the pause while typing', () => {
  const did: string[] = [];

  beforeEach(() => void did.splice(0));

  /** A recording at a time, and the waits that are still to come. */
  function opened(at = 5, wanted = true) {
    const waits = new Map<() => void, number>();
    const playing = signal(true);
    const time = signal(at);
    const pause = createTypingPause(
      {
        playing,
        time,
        pause() {
          did.push('pause');
          playing.value = false;
        },
        playFrom(from) {
          did.push(`play from ${from}`);
          playing.value = true;
        },
      },
      signal(wanted),
      (work, ms) => {
        waits.set(work, ms);
        return () => waits.delete(work);
      },
    );
    const pass = () => {
      for (const work of waits.keys()) {
        waits.delete(work);
        work();
      }
    };
    return { ...pause, playing, waits, pass };
  }

  test('a user who plays or pauses in the meantime decides', () => {
    const { typed, forget, playing, waits, pass } = opened();
    typed();
    forget();
    expect(waits.size).toBe(0);
    playing.value = false;
    typed();
    pass();
    expect(did).toEqual(['pause']);
  });

  test('nothing is paused if it is not wanted', () => {
    opened(5, false).typed();
    expect(did).toEqual([]);
  });
});
