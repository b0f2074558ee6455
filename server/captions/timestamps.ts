/** Timestamps as caption files write them: formats and parses them. */

/** The latest time that two digits of hours can show, in milliseconds: 99:59:59,999. */
export const LATEST_MS = 359_999_999;

/** Numbers padded to a given number of digits, prepared because a talk has thousands of timestamps. */
const padded = (digits: number): string[] =>
  Array.from({ length: 10 ** digits }, (_, value) => String(value).padStart(digits, '0'));
const TWO_DIGITS = padded(2);
const THREE_DIGITS = padded(3);

/**
 * Formats seconds as `HH:MM:SS,mmm`.
 * @param separator between seconds and milliseconds: a comma in SRT, a full stop in WebVTT
 * @throws {RangeError} past 99:59:59,999, the latest time that the format can show
 * @example
 * formatTimestamp(61.5); // => '00:01:01,500'
 * formatTimestamp(61.5, '.'); // => '00:01:01.500'
 */
export function formatTimestamp(seconds: number, separator: ',' | '.' = ','): string {
  const ms = Math.round(seconds * 1000);
  if (!(ms >= 0 && ms <= LATEST_MS)) {
    throw new RangeError(
      `A caption at ${seconds} s cannot be written: the latest possible time is 99:59:59,999.`,
    );
  }
  const hours = TWO_DIGITS[Math.floor(ms / 3_600_000)];
  const minutes = TWO_DIGITS[Math.floor(ms / 60_000) % 60];
  const whole = TWO_DIGITS[Math.floor(ms / 1000) % 60];
  return `${hours}:${minutes}:${whole}${separator}${THREE_DIGITS[ms % 1000]}`;
}

/**
 * Reads a timestamp (`HH:MM:SS,mmm`, `MM:SS.mmm`) as seconds; null for anything else.
 * @example
 * parseTimestamp('00:01:01,500'); // => 61.5
 * parseTimestamp('01:01.500'); // => 61.5
 * parseTimestamp('noon'); // => null
 */
export function parseTimestamp(text: string): number | null {
  const match = /^(?:(\d+):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})$/.exec(text.trim());
  if (!match) return null;
  const [, hours = '0', minutes = '0', seconds = '0', fraction = '0'] = match;
  const ms = Number(fraction.padEnd(3, '0'));
  return (
    (Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + ms) / 1000
  );
}
