/** The edit that fixes a quality warning. */
import { assessCue } from '../../../server/captions/rules/quality.ts';
import { breakLines } from '../../../server/captions/divide/lines.ts';
import { breaksOf } from '../../../server/captions/divide/breaks.ts';
import { languageOf } from '../../../server/captions/language.ts';
import { textOfTokens, tokensOf } from '../../../server/captions/divide/tokens.ts';
import { graphemes, joinWords, speedLimitOf } from '../../../server/captions/width.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { Flag } from './judge.ts';
import { cutItalics, overlapOf, type ReviewCue, textOf } from './cue.ts';
import { rebreak } from './edit-text.ts';
import { extendForReading } from './edit-times.ts';
import { lengthOf, retimed, toMs } from './snap.ts';
import { speechEnd, spokenCut, type TimedWord } from './spoken-cut.ts';
import { applySplice, replaceCues, type Splice } from './splice.ts';
import { TIMING } from '../../../server/captions/divide/timing.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';

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

/** A fix changes a caption and those beside it; a split adds one. */
const AROUND = 2;

/** The edit that fixes all warnings that can be fixed, and the number of captions it changes. */
interface FixedAll {
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

/** The cost of the worst imbalance; equal halves cost nothing. */
const IMBALANCE = 75;
/**
 * The cost of each part below the minimum duration. A pause that also ends a caption in the service
 * outweighs two such parts.
 */
const TOO_SHORT = 1000;

/** The rules and input for splitting. */
export interface SplitRules {
  readonly settings: CaptionSettings;
  /** BCP 47. */
  readonly language: string;
  /** The transcript's, in order. */
  readonly words: readonly TimedWord[];
  /** The id of the first new cue; the next ones count up. */
  readonly nextId: number;
}

function splitLong(cues: readonly ReviewCue[], index: number, rules: SplitRules): Splice | null {
  const parts = cues[index] ? divided(cues[index], rules) : [];
  return parts.length < 2 ? null : replaceCues(cues, index, 1, parts);
}

/**
 * A cue split at its best place, and the parts again, until each keeps within `maxDuration` and
 * `maxLines` of `maxLineChars`; only the cue itself if there is no place to split it.
 */
export function divided(cue: ReviewCue, rules: SplitRules): ReviewCue[] {
  let id = rules.nextId;
  return partsOf(cue, rules, () => id++);
}

function partsOf(cue: ReviewCue, rules: SplitRules, newId: () => number): ReviewCue[] {
  if (keepsWithin(cue, rules.settings)) return [cue];
  const parts = bestSplit(cue, rules, newId);
  return parts ? parts.flatMap((part) => partsOf(part, rules, newId)) : [cue];
}

const keepsWithin = (cue: ReviewCue, { maxDuration, maxLines, maxLineChars }: CaptionSettings) =>
  lengthOf(cue) <= toMs(maxDuration) &&
  cue.lines.length <= maxLines &&
  withoutItalics(cue.lines).every((line) => graphemes(line) <= maxLineChars);

/** Splits a cue at the cheapest place between its words; null if there is none. */
function bestSplit(
  cue: ReviewCue,
  { settings, language, words }: SplitRules,
  newId: () => number,
): [ReviewCue, ReviewCue] | null {
  const text = joinWords(cue.lines.flatMap((line) => line.trim() || []));
  const tokens = tokensOf([{ text, start: cue.start, end: cue.end }]);
  const places = tokens.slice(1).map((_, before) => {
    const left = textOfTokens(tokens, 0, before + 1);
    const right = textOfTokens(tokens, before + 1, tokens.length);
    const spoken = spokenCut(cue, left, right, words) ?? sharedCut(cue, left, right);
    return { left, right, spoken };
  });
  // The pauses are taken from the speech.
  for (const [before, { spoken }] of places.entries()) {
    tokens[before]!.end = spoken.end;
    tokens[before + 1]!.start = spoken.start;
  }
  const breaks = breaksOf(tokens, languageOf(language));
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const least = toMs(settings.minDuration);
  let best = { cost: Number.POSITIVE_INFINITY, left: '', right: '', cut: 0, until: 0 };
  for (const [before, { left, right, spoken }] of places.entries()) {
    const cut = toMs(spoken.start);
    if (cut <= start || cut >= end) continue;
    const imbalance = (cut - start - (end - cut)) / (end - start);
    const short = [cut - start, end - cut].filter((length) => length < least).length;
    const cost =
      breaks.cue[before + 1]! +
      IMBALANCE * imbalance * imbalance +
      TOO_SHORT * (short - 2 * breaks.hard[before + 1]!);
    if (cost < best.cost)
      best = { cost, left, right, cut, until: toMs(spoken.end + TIMING.linger) };
  }
  if (best.cost === Number.POSITIVE_INFINITY) return null;
  const { cut, until } = best;
  const [left, right] = cutItalics(best.left, best.right);
  const shownUntil = Math.min(cut, Math.max(until, start + least));
  return [
    { ...retimed(cue, start, shownUntil), lines: breakLines(left, settings, language) },
    { ...retimed(cue, cut, end), id: newId(), lines: breakLines(right, settings, language) },
  ];
}

function sharedCut(cue: ReviewCue, left: string, right: string): { start: number; end: number } {
  const share = graphemes(left) / (graphemes(left) + graphemes(right));
  const cut = cue.start + (cue.end - cue.start) * share;
  return { start: cut, end: cut };
}
