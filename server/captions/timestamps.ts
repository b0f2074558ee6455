/** Times of captions: as text, and aligned with the frames of a picture. */
/** The latest time that two digits of hours can show, in milliseconds: 99:59:59,999. */
export const LATEST_MS = 359_999_999;

/** Numbers padded to a given number of digits, prepared because a talk has thousands of timestamps. */
const padded = (digits: number): string[] =>
  Array.from({ length: 10 ** digits }, (_, value) => String(value).padStart(digits, '0'));

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
 * secondsAtFrame(38, 24); // => 1.583
 */
export const secondsAtFrame = (frame: number, rate: number): number =>
  Math.round((frame * 1000) / rate) / 1000;

/**
 * Whether a frame begins at a time, to the precision of a file.
 * @example
 * isOnFrame(1.52, 25); // => true
 */
export const isOnFrame = (seconds: number, rate: number): boolean =>
  Math.abs(secondsAtFrame(frameAt(seconds, rate), rate) - seconds) < 0.0006;

const TWO_DIGITS = padded(2);
const THREE_DIGITS = padded(3);

/**
 * Formats seconds as `HH:MM:SS,mmm`.
 * @param separator between seconds and milliseconds: a comma in SRT, a full stop in WebVTT
 * @throws {RangeError} for a time before the beginning, or none at all
 * @example
 * formatTimestamp(61.5); // => '00:01:01,500'
 * formatTimestamp(61.5, '.'); // => '00:01:01.500'
 */
export function formatTimestamp(seconds: number, separator: ',' | '.' = ','): string {
  const ms = Math.round(seconds * 1000);
  if (!(ms >= 0 && Number.isFinite(ms))) {
    throw new RangeError(`A caption at ${seconds} s cannot be written.`);
  }
  const wholeHours = Math.floor(ms / 3_600_000);
  const hours = TWO_DIGITS[wholeHours] ?? String(wholeHours);
  const minutes = TWO_DIGITS[Math.floor(ms / 60_000) % 60];
  const whole = TWO_DIGITS[Math.floor(ms / 1000) % 60];
  return `${hours}:${minutes}:${whole}${separator}${THREE_DIGITS[ms % 1000]}`;
}
