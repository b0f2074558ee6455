/** Aligns times to the frames of a picture. */

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
export interface FrameRate {
  /** Whole frames a second. */
  nominal: number;
  multiplier: number;
  /** Frames a second, exactly. */
  rate: number;
}

/**
 * The exact rate for its usual notation: 23.976 and 23.98 are 24000/1001.
 * @param rate frames a second, from 1 to 240
 * @throws {RangeError} for another number
 */
export function frameRateOf(rate: number): FrameRate {
  if (!(rate >= 1 && rate <= 240)) {
    throw new RangeError(`${rate} is no frame rate: it is from 1 to 240 frames a second.`);
  }
  const nominal = Math.round(rate);
  const slowed = (nominal * 1000) / 1001;
  const isSlowed = Math.abs(rate - slowed) < Math.abs(rate - nominal);
  const multiplier = isSlowed ? 1000 / 1001 : 1;
  return { nominal, multiplier, rate: isSlowed ? slowed : nominal };
}

/** The frame that begins nearest to a time. Seconds → frames from 0. */
export const frameAt = (seconds: number, rate: number): number => Math.round(seconds * rate);

/**
 * When a frame begins, in seconds, to the millisecond that files write. frameAt finds the same frame
 * again up to 240 frames a second.
 */
export const secondsAt = (frame: number, rate: number): number =>
  Math.round((frame * 1000) / rate) / 1000;

/** Whether a time is the beginning of a frame, as exactly as a file can write it. */
export const isOnFrame = (seconds: number, rate: number): boolean =>
  Math.abs(secondsAt(frameAt(seconds, rate), rate) - seconds) < 0.0006;
