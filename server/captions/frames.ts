/** Aligns times to the frames of a picture. */

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
