/** Reads times in TTML (https://www.w3.org/TR/ttml1/#timing-value-timeExpression). */
import { attribute, type XmlElement } from './xml.ts';

/** The units of a document's times. */
export interface TimeBase {
  frameRate: number;
  tickRate: number;
}

const positive = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : undefined;
};

/** The time base of a document, from the attributes of its root; 30 frames a second by default. */
export function timeBaseOf(root: XmlElement): TimeBase {
  const frameRate = positive(attribute(root, 'frameRate', '#parameter'));
  const [numerator, denominator] = (attribute(root, 'frameRateMultiplier', '#parameter') ?? '1 1')
    .split(/[\s:]+/)
    .map(positive);
  const multiplier = (numerator ?? 1) / (denominator ?? 1);
  const frames = (frameRate ?? 30) * multiplier;
  const tickRate = positive(attribute(root, 'tickRate', '#parameter'));
  return { frameRate: frames, tickRate: tickRate ?? (frameRate ? frames : 1) };
}

/** The seconds of a time expression; null if it is invalid. */
export function readTtmlTime(text: string | undefined, base: TimeBase): number | null {
  if (text === undefined) return null;
  const clock = /^\s*(\d{2,}):(\d\d):(\d\d)(?:(\.\d+)|:(\d{2,})(?:\.\d+)?)?\s*$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds, fraction = '0', frames = '0'] = clock;
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return toMs(whole + Number(fraction) + Number(frames) / base.frameRate);
  }
  const [, count, metric = ''] = /^\s*(\d+(?:\.\d+)?)(h|m|s|ms|f|t)\s*$/.exec(text) ?? [];
  if (count === undefined) return null;
  const seconds: Record<string, number> = {
    h: 3600,
    m: 60,
    s: 1,
    ms: 0.001,
    f: 1 / base.frameRate,
    t: 1 / base.tickRate,
  };
  return toMs(Number(count) * (seconds[metric] ?? 1));
}

/** Rounds to milliseconds, the precision of captions. */
const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;
