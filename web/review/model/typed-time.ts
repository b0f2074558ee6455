/** Times as people type them. */
import { LAST_INSTANT_MS } from '../../../server/captions/clock.ts';

/** Hours and minutes where there are any, then seconds with their fraction. */
const TIME = /^(?:(?:(\d+):)?(\d+):)?(\d+)(?:[.,](\d*))?$/;

/**
 * The seconds of a time: `12.5`, `0:13`, `1:02:03,5`, `00:01:02,500`, with a point or a comma. Null
 * where it is none, has more than 59 seconds beside minutes, or is past the clock of captions.
 */
export function readTime(typed: string): number | null {
  const match = TIME.exec(typed.trim());
  if (!match) return null;
  const [, hours, minutes, seconds = '0', fraction = ''] = match;
  if (minutes !== undefined && Number(seconds) > 59) return null;
  if (hours !== undefined && Number(minutes) > 59) return null;
  const whole = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  const ms = Math.round(whole * 1000 + Number(`0.${fraction || '0'}`) * 1000);
  return ms <= LAST_INSTANT_MS ? ms / 1000 : null;
}

/** The seconds of a difference: a time with `+`, `-` or `−` before it, or none. Null where it is none. */
export function readDifference(typed: string): number | null {
  const [, sign = '', rest = ''] = /^([+\-−–]?)(.*)$/s.exec(typed.trim()) ?? [];
  // Half a second is typed as .5 as well.
  const time = readTime(rest.trim().replace(/^(?=[.,]\d)/, '0'));
  return time === null ? null : sign === '' || sign === '+' ? time : -time;
}
