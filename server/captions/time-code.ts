/** Time code: hours, minutes, seconds and frames, also with the dropped numbers of 29.97 and 59.94 frames a second. */
import { frameRateOf } from './timestamps.ts';

/** How a file counts its frames. */
export interface FrameCount {
  /** Frames a second, exactly. */
  rate: number;
  /** Frames in a second of time code. */
  nominal: number;
  /** The numbers that are left out in each minute but every tenth; 0 if none are. */
  dropped: number;
}

/**
 * How a rate counts.
 * @param rate frames a second, as people write it
 * @param dropFrame only where numbers can be dropped, at 29.97 and 59.94; elsewhere it changes nothing
 * @example
 * frameCountOf(29.97, true).dropped; // => 2
 */
export function frameCountOf(rate: number, dropFrame = false): FrameCount {
  const { nominal, multiplier, rate: exact } = frameRateOf(rate);
  const drops = dropFrame && multiplier !== 1 && nominal % 30 === 0;
  return { rate: exact, nominal, dropped: drops ? nominal / 15 : 0 };
}

/**
 * The number of a frame, from 0, by its time code.
 * @param fields hours, minutes, seconds, frames
 */
export function frameOfFields(
  [hours, minutes, seconds, frames]: readonly [number, number, number, number],
  { nominal, dropped }: FrameCount,
): number {
  const allMinutes = hours * 60 + minutes;
  const numbers = (allMinutes * 60 + seconds) * nominal + frames;
  return numbers - dropped * (allMinutes - Math.floor(allMinutes / 10));
}

/**
 * The number of a frame by its time code as text, `HH:MM:SS:FF`; a semicolon or a full stop before the frames says
 * nothing that `count` does not; null for anything else, and for numbers that do not exist.
 * @example
 * frameOfTimeCode('00:01:00;02', frameCountOf(29.97, true)); // => 1800
 */
export function frameOfTimeCode(text: string, count: FrameCount): number | null {
  const match = /^(\d{1,3}):(\d\d):(\d\d)[:;.,](\d{2,3})$/.exec(text.trim());
  if (!match) return null;
  const [hours, minutes, seconds, frames] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (minutes > 59 || seconds > 59 || frames >= count.nominal) return null;
  return frameOfFields([hours, minutes, seconds, frames], count);
}

/** The hours, minutes, seconds and frames of a frame's number. */
export function fieldsOfFrame(
  frame: number,
  { nominal, dropped }: FrameCount,
): [number, number, number, number] {
  let number = frame;
  if (dropped > 0) {
    const tenMinutes = nominal * 600 - dropped * 9;
    const minute = nominal * 60 - dropped;
    const rest = frame % tenMinutes;
    number += dropped * 9 * Math.floor(frame / tenMinutes);
    if (rest >= nominal * 60) number += dropped * (Math.floor((rest - nominal * 60) / minute) + 1);
  }
  const seconds = Math.floor(number / nominal);
  return [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
    number % nominal,
  ];
}

/**
 * The time code of a frame; a semicolon before the frames marks dropped numbers.
 * @example
 * timeCodeOf(1800, frameCountOf(29.97, true)); // => '00:01:00;02'
 */
export function timeCodeOf(frame: number, count: FrameCount): string {
  const [hours, minutes, seconds, frames] = fieldsOfFrame(frame, count).map((field) =>
    String(field).padStart(2, '0'),
  ) as [string, string, string, string];
  return `${hours}:${minutes}:${seconds}${count.dropped > 0 ? ';' : ':'}${frames}`;
}
