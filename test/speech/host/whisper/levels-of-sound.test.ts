/** The share of sound in a stretch, and the stretches that are recognised again. */
import { expect, test } from 'bun:test';
import { missedSpeech, soundWithin } from '../../../../server/whisper/search/missed-speech.ts';

const STEP = 160;
/** Samples of steps of 10 ms, each at a level in dB. */
const at = (...levels: number[]): Float32Array =>
  Float32Array.from(
    levels.flatMap((level) => Array.from({ length: STEP }, () => 10 ** (level / 20))),
  );
const steps = (count: number, level: number) => Array.from({ length: count }, () => level);
const whole = (samples: Float32Array) => {
  const [seconds] = soundWithin(samples, [{ start: 0, end: samples.length / 16_000 }]);
  return Math.round(seconds! * 100);
};

test('a step is sound from 35 % of the way from quiet to loud on, in dB', () => {
  // Quiet is -40 dB and loud -20 dB, so the threshold is at -33 dB.
  const between = (level: number) =>
    whole(at(...steps(40, -40), ...steps(10, level), ...steps(50, -20)));
  expect(between(-32.9)).toBe(60);
  expect(between(-33.1)).toBe(50);
});

test('the loud level is that of the loudest tenth, and the quiet one that of the quietest twentieth', () => {
  const loudest = (count: number) =>
    whole(at(...steps(100 - count - 30, -60), ...steps(30, -41), ...steps(count, 0)));
  // With few loud steps, -41 dB is the loud level itself; with more, it is below the threshold of -39 dB.
  expect(loudest(10)).toBe(40);
  expect(loudest(11)).toBe(11);
  const quietest = (count: number) =>
    whole(at(...steps(count, -80), ...steps(70 - count, -29), ...steps(30, -20)));
  // With few quiet steps, quiet and loud are too near to each other.
  expect(quietest(4)).toBe(100);
  expect(quietest(5)).toBe(95);
});

test('all is sound where quiet and loud differ by less than 10 dB', () => {
  const range = (decibels: number) => whole(at(...steps(50, -20 - decibels), ...steps(50, -20)));
  expect(range(9.9)).toBe(100);
  expect(range(10.1)).toBe(50);
});

test('stretches are measured by themselves, in steps of 10 ms', () => {
  const samples = at(...steps(50, -60), ...steps(30, -20), ...steps(20, -60));
  const seconds = soundWithin(samples, [
    { start: 0, end: 0.5 },
    { start: 0.4, end: 0.604 },
    { start: 0.4, end: 0.606 },
    { start: 0.7, end: 1 },
    { start: 0.9, end: 5 },
  ]);
  expect(seconds.map((each) => Math.round(each * 100))).toEqual([0, 10, 11, 10, 0]);
});

test('digital silence is quiet, and a step that is not whole does not count', () => {
  const samples = new Float32Array(100 * STEP + 159).fill(0.1, 50 * STEP);
  expect(whole(samples)).toBe(50);
  expect(soundWithin(new Float32Array(0), [{ start: 0, end: 2 }])).toEqual([2]);
});

test('a stretch without words ends at the edge of the next word, not after it', () => {
  const samples = at(...steps(100, -60), ...steps(300, -20));
  const word = (start: number, end: number) => ({ text: 'word', start, end, confidence: 1 });
  expect(missedSpeech([word(0, 1), word(3, 3.2)], samples)).toEqual([{ start: 1, end: 3 }]);
  expect(missedSpeech([word(0, 1), word(2.4, 3.2)], samples)).toEqual([]);
  expect(missedSpeech([word(0, 0.2), word(0.2, 1)], samples)).toEqual([{ start: 1, end: 4 }]);
});
