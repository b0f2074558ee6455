/** Estimates the frame rate of a video from the times at which frames were shown. */

const KNOWN = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 48, 50, 60_000 / 1001, 60, 100, 120];
/**
 * Even with rounded times, a second of frames distinguishes 24 from 23.976, the two closest rates.
 */
const CLOSE = 0.0004;
const NEAR = 0.02;

/**
 * The rate in frames per second; null if the times do not show it. Frames may be missing.
 * @param times of frames in seconds, in ascending order
 */
export function frameRateOf(times: readonly number[]): number | null {
  const steps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const shortest = Math.min(...steps.filter((step) => step > 0.002));
  if (steps.length < 3 || !Number.isFinite(shortest)) return null;
  const frames = steps.reduce((sum, step) => sum + Math.round(step / shortest), 0);
  const rate = frames / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  const distance = (known: number): number => Math.abs(known / rate - 1);
  const [nearest = rate] = KNOWN.toSorted((a, b) => distance(a) - distance(b));
  if (distance(nearest) <= CLOSE) return nearest;
  return distance(nearest) <= NEAR ? nearest : rate;
}
