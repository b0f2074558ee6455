/** The peaks of a recording, computed from a decoder's samples. */
import { expect, test } from 'bun:test';
import { PeakMeter } from '../../web/media/peak-meter.ts';

const RATE = 1000;

/** A block of sound that begins at a time in seconds; 1,000 samples a second, so 20 to a value. */
const block = (timestamp: number, ...channels: number[][]) => ({
  timestamp,
  sampleRate: RATE,
  numberOfFrames: channels[0]!.length,
  numberOfChannels: channels.length,
  duration: channels[0]!.length / RATE,
  copyTo: (to: Float32Array, { planeIndex }: { planeIndex: number }) =>
    to.set(channels[planeIndex]!),
});

/** Samples of silence with some that are loud, by their positions. */
const quiet = (length: number, loud: Record<number, number> = {}): number[] =>
  Array.from({ length }, (_, at) => loud[at] ?? 0);

test('each value is the loudest of its samples, in either direction, and at most 255', () => {
  const meter = new PeakMeter(0, 0.1);
  meter.add(block(0, quiet(100, { 0: 0.5, 19: -0.25, 20: -1, 59: 0.1, 60: 0.2, 99: 3 })));
  expect([...meter.values]).toEqual([128, 255, 26, 51, 255]);
  expect(meter.seconds).toBeCloseTo(0.1, 9);
});

test('the loudest of all channels counts', () => {
  const meter = new PeakMeter(0, 0.04);
  meter.add(block(0, quiet(40, { 5: 0.2 }), quiet(40, { 6: 0.4, 30: 0.6 })));
  expect([...meter.values]).toEqual([102, 153]);
});

test('blocks that end within a value add to it, and a shorter block has no leftovers of a longer one', () => {
  const meter = new PeakMeter(0, 0.06);
  meter.add(block(0, quiet(30, { 25: 0.2, 29: 0.9 })));
  meter.add(block(0.03, quiet(10, { 5: 0.4 })));
  meter.add(block(0.04, quiet(20)));
  expect([...meter.values]).toEqual([0, 229, 0]);
});

test('a longer block after a shorter one is measured to its end', () => {
  const meter = new PeakMeter(0, 0.06);
  meter.add(block(0, quiet(10, { 5: 0.4 })));
  meter.add(block(0.01, quiet(50, { 49: 0.9 })));
  expect([...meter.values]).toEqual([102, 0, 229]);
});

test('samples before the start are ignored', () => {
  const meter = new PeakMeter(0.05, 0.04);
  meter.add(block(0, quiet(60, { 10: 1, 49: 1, 50: 0.4, 59: 0.2 })));
  meter.add(block(0.06, quiet(30, { 10: 0.6 })));
  expect([...meter.values]).toEqual([102, 153]);
  expect(meter.seconds).toBeCloseTo(0.04, 9);
  // The start may lie within a sample.
  const within = new PeakMeter(0.0505, 0.02);
  within.add(block(0, quiet(70, { 50: 1, 51: 0.4 })));
  expect(within.values[0]).toBe(102);
});

test('timestamps that are rounded down do not move a sample to the previous value', () => {
  const meter = new PeakMeter(0, 0.04);
  meter.add(block(0.019_999, quiet(20, { 0: 1 })));
  expect([...meter.values]).toEqual([0, 255]);
});

test('a recording longer than stated is measured completely', () => {
  const meter = new PeakMeter(0, 0.02);
  for (let at = 0; at < 10; at += 1) meter.add(block(at / 50, quiet(20, { 3: (at + 1) / 255 })));
  expect(meter.values.slice(0, 10)).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  expect(Math.ceil(meter.seconds * 50 - 1e-9)).toBe(10);
});
