/** Finds stretches of sound without captions by how loud they are: speech there may be missing. */
import { PEAKS_PER_SECOND } from '../../media/peak-meter.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import type { ReviewCue } from './cue.ts';

/** The values of a window of 0.2 s, over which the loudness is averaged. */
const WINDOW = PEAKS_PER_SECOND / 5;
const WINDOWS_PER_SECOND = PEAKS_PER_SECOND / WINDOW;
/** Captions begin and end up to this many seconds beside what is said. */
const MARGIN = 0.4;
/** Shorter stretches are laughs, coughs and chairs, in seconds. */
const LEAST = 2;
/** Pauses of this many seconds belong to a stretch. */
const PAUSE = 1;
/** Sound counts if it is this loud in proportion to the captioned sound, and to the noise between. */
const OF_SPEECH = 0.4;
const OF_NOISE = 3;
/** A recording whose captioned sound is less loud than this, of 255, is as good as silent. */
const SILENT = 2;

/**
 * Finds the stretches without captions that are about as loud as those with captions.
 * @param peaks 50 values a second, from 0 to 255
 * @param cues in order
 */
export function loudWithoutCues(peaks: Uint8Array, cues: readonly ReviewCue[]): Stretch[] {
  const levels = Array.from({ length: Math.floor(peaks.length / WINDOW) }, (_, at) => {
    const window = peaks.subarray(at * WINDOW, (at + 1) * WINDOW);
    return window.reduce((sum, value) => sum + value, 0) / WINDOW;
  });
  const isCaptioned = new Uint8Array(levels.length);
  for (const { start, end } of cues) {
    isCaptioned.fill(
      1,
      Math.max(0, Math.floor((start - MARGIN) * WINDOWS_PER_SECOND)),
      Math.max(0, Math.ceil((end + MARGIN) * WINDOWS_PER_SECOND)),
    );
  }
  const captioned = levels.filter((_, at) => isCaptioned[at] === 1);
  const speech = quantile(captioned.length > 0 ? captioned : levels, 0.6);
  if (speech < SILENT) return [];
  const loud = Math.max(
    speech * OF_SPEECH,
    Math.min(quantile(levels, 0.1) * OF_NOISE, speech * 0.8),
  );
  const found: { from: number; to: number; loud: number }[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < loud || isCaptioned[at] === 1) continue;
    const last = found.at(-1);
    const isNear = last && at - last.to <= PAUSE * WINDOWS_PER_SECOND;
    if (isNear && !isCaptioned.subarray(last.to, at).includes(1)) {
      last.to = at + 1;
      last.loud += 1;
    } else found.push({ from: at, to: at + 1, loud: 1 });
  }
  return found
    .filter(
      ({ from, to, loud: count }) =>
        to - from >= LEAST * WINDOWS_PER_SECOND && count * 2 >= to - from,
    )
    .map(({ from, to }) => ({ start: from / WINDOWS_PER_SECOND, end: to / WINDOWS_PER_SECOND }));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
