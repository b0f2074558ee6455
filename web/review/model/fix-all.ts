/** The edit that fixes every warning of a review that can be fixed, by the limits of its run. */
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from './cue.ts';
import { fixFor } from './fix.ts';
import { applySplice, type Splice } from './splice.ts';
import type { SplitRules } from './split-long.ts';

/** A fix changes a caption and those beside it; a split adds one. */
const AROUND = 2;

/** The edit that fixes all warnings that can be fixed, and the number of captions it changes. */
export interface FixedAll {
  /** Each applies to the captions as changed by those before it. */
  readonly splices: readonly Splice[];
  readonly captions: number;
}

/**
 * Fixes caption by caption; a fix that costs the neighbours more than it gains is left out. Null if
 * there is none.
 */
export function fixAll(cues: readonly ReviewCue[], rules: SplitRules): FixedAll | null {
  const { settings, language } = rules;
  const assessed = (all: readonly ReviewCue[], index: number) => {
    const cue = all[index];
    return cue && assessCue(cue, all[index + 1], settings, language);
  };
  const costOf = (all: readonly ReviewCue[], from: number, to: number): number => {
    let sum = 0;
    for (let at = Math.max(0, from); at < to; at += 1) sum += assessed(all, at)?.penalty ?? 0;
    return sum;
  };
  const splices: Splice[] = [];
  let captions = 0;
  let now = cues;
  let { nextId } = rules;
  // From the end, so that a split does not move captions that are still to come.
  for (let index = cues.length - 1; index >= 0; index -= 1) {
    const before = splices.length;
    for (const { flag } of assessed(now, index)!.warnings) {
      // Another fix may have fixed it already.
      if (!assessed(now, index)?.warnings.some((warning) => warning.flag === flag)) continue;
      const made = fixFor(flag, now, index, { ...rules, nextId });
      if (!made) continue;
      const after = applySplice(now, made);
      const grown = after.length - now.length;
      const [from, to] = [index - AROUND, index + AROUND + 1];
      if (costOf(after, from, to + grown) >= costOf(now, from, to)) continue;
      splices.push(made);
      now = after;
      nextId += grown;
    }
    if (splices.length > before) captions += 1;
  }
  return splices.length === 0 ? null : { splices, captions };
}
