/** The edit that fixes a quality warning. */
import { assessCue } from '../../../server/captions/rules/quality.ts';
import { speedLimitOf } from '../../../server/captions/rules/reading-speed.ts';
import type { Flag } from './judge.ts';
import { overlapOf, textOf, type ReviewCue } from './cue.ts';
import { rebreak } from './edit-text.ts';
import { extendForReading } from './extend.ts';
import { lengthOf, retimed, toMs } from './available-time.ts';
import { speechEnd } from './spoken-cut.ts';
import { applySplice, replaceCues, type Splice } from './splice.ts';
import { splitLong, type SplitRules } from './split-long.ts';

/**
 * The edit that resolves a cue's warning, or improves the cue as far as its neighbours allow; null
 * if nothing would be better. No word is shown for less time than it is spoken.
 */
export function fixFor(
  flag: Flag,
  cues: readonly ReviewCue[],
  index: number,
  rules: SplitRules,
): Splice | null {
  const { settings, language } = rules;
  if (flag === 'overlaps_next') return endBeforeNext(cues, index);
  const penaltyOf = (all: readonly ReviewCue[]): number => {
    const cue = all[index];
    return cue ? assessCue(cue, all[index + 1], settings, language).penalty : 0;
  };
  const before = penaltyOf(cues);
  const betters = (splice: Splice): boolean =>
    // The penalty is capped at 1, so an improvement above the cap does not show.
    before >= 1 || penaltyOf(applySplice(cues, splice)) < before;
  if (flag === 'duration_above_maximum') return shorten(cues, index, rules);
  if (flag === 'reading_speed_high' || flag === 'duration_below_minimum') {
    const cue = cues[index];
    const made = cue && extendForReading(cues, index, speedLimitOf(textOf(cue)), rules.settings);
    return made && betters(made) ? made : null;
  }
  const rebroken = rebreak(cues, index, settings, language);
  if (flag === 'dangling_line_break') return rebroken && betters(rebroken) ? rebroken : null;
  // Text that does not fit in the lines of one cue is split in two.
  const fits = rebroken?.inserted.every((cue) => {
    const { flags } = assessCue(cue, undefined, settings, language).quality;
    return (
      !flags.includes('line_count_above_maximum') && !flags.includes('line_length_above_maximum')
    );
  });
  return fits
    ? rebroken
    : (splitLong(cues, index, rules) ?? (rebroken && betters(rebroken) ? rebroken : null));
}

/** Ends a cue where the next one starts; null if nothing would be left of it. */
function endBeforeNext(cues: readonly ReviewCue[], index: number): Splice | null {
  const [cue, next] = [cues[index], cues[index + 1]];
  if (!cue || overlapOf(cue, next) === 0 || toMs(next!.start) <= toMs(cue.start)) return null;
  return replaceCues(cues, index, 1, [retimed(cue, toMs(cue.start), toMs(next!.start))]);
}

/** Ends a cue that lasts into a silence; splits it if its words take as long. */
function shorten(cues: readonly ReviewCue[], index: number, rules: SplitRules): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  const start = toMs(cue.start);
  const latest = start + toMs(rules.settings.maxDuration);
  const trimmed =
    lengthOf(cue) > latest - start
      ? replaceCues(cues, index, 1, [retimed(cue, start, latest)])
      : null;
  const spoken = speechEnd(cue, textOf(cue), rules.words);
  if (spoken !== null && toMs(spoken) <= latest) return trimmed;
  return splitLong(cues, index, rules) ?? trimmed;
}
