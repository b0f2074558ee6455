/** Times as people write them in caption files, whatever their signs and digits. */

/** The most hours that a time may have: more is no time. */
const MOST_HOURS = 9999;

/**
 * The seconds of a time in any of the forms that SRT files have: without milliseconds, with one to nine digits of a
 * fraction, with spaces, with other signs, negative, with two digits of frames after a colon; null for anything else.
 * @param frameRate frames a second
 * @example
 * readLooseTime('00:00:03'); // => 3
 * readLooseTime('00 : 01 : 02 . 500000'); // => 62.5
 * readLooseTime('-00:00:01,5'); // => -1.5
 * readLooseTime('00:00:01:05', 25); // => 1.2
 */
export function readLooseTime(text: string, frameRate = 25): number | null {
  const plain = text
    .replace(/\s/g, '')
    .replaceAll('：', ':')
    .replace(/[，;；]/g, ',')
    .replace('−', '-');
  const match = /^(-?)(?:(\d{1,6}):)?(\d{1,3}):(\d{1,3})(?:([,.:])(\d{1,9}))?$/.exec(plain);
  if (!match) return null;
  const [, sign, hours = '0', minutes = '0', seconds = '0', mark, fraction = '0'] = match;
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (h > MOST_HOURS || m > 999 || s > 999) return null;
  const areFrames = mark === ':' && fraction.length === 2;
  const part = areFrames ? Number(fraction) / frameRate : Number(`0.${fraction}`);
  const ms = Math.round(part * 1000);
  const total = (h * 3_600_000 + m * 60_000 + s * 1000 + ms) / 1000;
  return sign === '' ? total : -total;
}
