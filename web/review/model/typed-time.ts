/** Reads times as people type them. */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';

/** Optional hours and minutes, then seconds with an optional fraction. */
const TIME = /^(?:(?:(\d+):)?(\d+):)?(\d+)(?:[.,](\d*))?$/;

/**
 * Reads a time in seconds: `12.5`, `0:13`, `1:02:03,5`, `00:01:02,500`, with a point or a comma.
 * Null if it is not a time, has more than 59 seconds next to minutes (or minutes next to hours), or
 * is past the end of the caption clock.
 */
export function readTime(typed: string): number | null {
  const match = TIME.exec(typed.trim());
  if (!match) return null;
  const [, hours, minutes, seconds = '0', fraction = ''] = match;
  if (minutes !== undefined && Number(seconds) > 59) return null;
  if (hours !== undefined && Number(minutes) > 59) return null;
  const whole = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  const ms = Math.round(whole * 1000 + Number(`0.${fraction || '0'}`) * 1000);
  return ms <= LATEST_MS ? ms / 1000 : null;
}

/**
 * Reads a difference in seconds: a time with an optional `+`, `-` or `−`. Null if it is not one.
 */
export function readDifference(typed: string): number | null {
  const [, sign = '', rest = ''] = /^([+\-−–]?)(.*)$/s.exec(typed.trim()) ?? [];
  // Half a second may be typed as .5.
  const time = readTime(rest.trim().replace(/^(?=[.,]\d)/, '0'));
  return time === null ? null : sign === '' || sign === '+' ? time : -time;
}
