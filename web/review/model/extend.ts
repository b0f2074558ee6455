/** Extends a cue to the time needed to read it. */
import { countCharacters } from '../../../server/captions/rules/reading-speed.ts';
import { GAP } from '../../../server/captions/divide/timing.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { retimed, availableTime, toMs } from './available-time.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Makes a cue last long enough to be read, and at least `minDuration`: it ends later and, if that
 * is not enough, begins earlier. It uses up the minimum gaps to its neighbours only if it must,
 * never exceeds `maxDuration`, and never becomes shorter.
 * @param speed characters per second
 */
export function extendForReading(
  cues: readonly ReviewCue[],
  index: number,
  speed: number,
  { minDuration, maxDuration }: CaptionSettings,
): Splice | null {
  const cue = cues[index];
  if (!cue || !(speed > 0)) return null;
  const reading = Math.ceil((countCharacters(cue.lines) * 1000) / speed);
  const wanted = Math.min(toMs(maxDuration), Math.max(toMs(minDuration), reading));
  const { from, to } = availableTime(cues, index);
  let [start, end] = [toMs(cue.start), toMs(cue.end)];
  for (const gap of [toMs(GAP), 0]) {
    end = Math.max(end, Math.min(start + wanted, index + 1 < cues.length ? to - gap : to));
    start = Math.min(start, Math.max(end - wanted, index > 0 ? from + gap : from));
  }
  return replaceCues(cues, index, 1, [retimed(cue, start, end)]);
}
