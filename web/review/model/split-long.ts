/** Splits a cue that is too long, in time or text, into several at natural places. */
import { breakLines } from '../../../server/captions/divide/break-lines.ts';
import { breaksOf } from '../../../server/captions/divide/breaks.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';
import { languageOf } from '../../../server/captions/language.ts';
import { LINGER } from '../../../server/captions/divide/timing.ts';
import { textOfTokens, tokensOf } from '../../../server/captions/divide/tokens.ts';
import { graphemes, joinWords } from '../../../server/captions/width.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { cutItalics } from './cut-italics.ts';
import { lengthOf, retimed, toMs } from './available-time.ts';
import { spokenCut, type TimedWord } from './spoken-cut.ts';
import { replaceCues, type Splice } from './splice.ts';

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

/**
 * Splits a cue at its best place, and the parts again, until each keeps within `maxDuration` and
 * `maxLines` of `maxLineChars`. Null if there is no place to split it.
 */
export function splitLong(
  cues: readonly ReviewCue[],
  index: number,
  rules: SplitRules,
): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  let id = rules.nextId;
  const parts = partsOf(cue, rules, () => id++);
  return parts.length < 2 ? null : replaceCues(cues, index, 1, parts);
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
    if (cost < best.cost) best = { cost, left, right, cut, until: toMs(spoken.end + LINGER) };
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
