/** Aligns times with the frames of a picture. */

/** The frame rates of film and television, in frames a second, as people write them. */
export const FRAME_RATES = [
  '23.976',
  '24',
  '25',
  '29.97',
  '30',
  '48',
  '50',
  '59.94',
  '60',
] as const;

/** An exact frame rate: 23.976 is 24 × 1000/1001. */
interface FrameRate {
  /** Whole frames a second. */
  nominal: number;
  multiplier: number;
  /** Frames a second, exactly. */
  rate: number;
}

/**
 * The exact rate for its usual notation: 23.976 and 23.98 are 24000/1001.
 * @param rate frames a second, from 1 to 240
 * @throws {RangeError} for any other number
 * @example
 * frameRateOf(29.97).rate; // => 29.97002997002997
 */
export function frameRateOf(rate: number): FrameRate {
  if (!(rate >= 1 && rate <= 240)) {
    throw new RangeError(`${rate} is not a frame rate: it must be from 1 to 240 frames a second.`);
  }
  const nominal = Math.round(rate);
  const slowed = (nominal * 1000) / 1001;
  const isSlowed = Math.abs(rate - slowed) < Math.abs(rate - nominal);
  const multiplier = isSlowed ? 1000 / 1001 : 1;
  return { nominal, multiplier, rate: isSlowed ? slowed : nominal };
}

/**
 * The number, from 0, of the frame that begins nearest to a time in seconds.
 * @example
 * frameAt(1.52, 25); // => 38
 */
export const frameAt = (seconds: number, rate: number): number => Math.round(seconds * rate);

/**
 * The time at which a frame begins, in seconds rounded to the millisecond, as files write it. frameAt returns the same
 * frame for it at up to 240 frames a second.
 * @example
 * secondsAt(38, 24); // => 1.583
 */
export const secondsAt = (frame: number, rate: number): number =>
  Math.round((frame * 1000) / rate) / 1000;

/**
 * Whether a frame begins at a time, to the precision of a file.
 * @example
 * isOnFrame(1.52, 25); // => true
 */
export const isOnFrame = (seconds: number, rate: number): boolean =>
  Math.abs(secondsAt(frameAt(seconds, rate), rate) - seconds) < 0.0006;
