/** The quality report: problems that a viewer would notice, cue by cue. */
import type { Static } from '../../contract/schema.ts';
import type {
  CaptionCue,
  CaptionCueQuality,
  CaptionQuality,
  CaptionQualityFlag,
  CaptionQualityWarning,
  CaptionSettings,
} from '../../contract/captions.ts';
import type { TimedLines } from '../cue.ts';
import { languageOf, type Language } from '../language.ts';
import { danglesBefore } from '../divide/breaks.ts';
import { graphemes, charactersOf, speedLimitOf, countWords, SPEED_LIMIT } from '../width.ts';
import { withoutItalics } from '../italics.ts';

/** A speed above the limit by more than this factor is a warning instead of a remark (25 for 20). */
const SPEED_WARNING = 1.25;
/** Durations are whole milliseconds; a difference of one is tolerated. */
const TOLERANCE = 0.0011;

/** A cue's quality, without its number, which changes as other cues are added and removed. */
export interface JudgedCue {
  readonly quality: Omit<Static<typeof CaptionCueQuality>, 'cue'>;
  readonly warnings: readonly JudgedWarning[];
  /** The cue's deduction from the score, 0 to 1. */
  readonly penalty: number;
}

/** What a summary takes from a judged cue. */
type Summarised = Pick<JudgedCue, 'quality'> & { readonly warnings: readonly unknown[] };

/** A warning about a cue; `says` is a predicate whose subject is the cue. */
interface JudgedWarning extends Pick<Static<typeof CaptionQualityWarning>, 'flag' | 'severity'> {
  readonly says: string;
}

/**
 * Assesses cues against the settings they were built with.
 * @example
 * const times = { startTime: '00:00:00,000', endTime: '00:00:00,400' };
 * const cue = { index: 1, start: 0, end: 0.4, ...times, text: 'Hello.', lines: ['Hello.'] };
 * assessCaptions([cue], DEFAULT_CAPTION_SETTINGS).warnings[0].flag; // => 'duration_below_minimum'
 * assessCaptions([{ ...cue, end: 2 }], DEFAULT_CAPTION_SETTINGS).score; // => 1
 */
export const assessCaptions = (
  cues: readonly CaptionCue[],
  settings: CaptionSettings,
  language = 'en',
): Static<typeof CaptionQuality> =>
  summarize(
    cues.map((cue, at) => assessCue(cue, cues[at + 1], settings, language)),
    (at) => cues[at]?.index ?? at + 1,
  );

/**
 * Assesses one cue. The result stays valid while the cue, the next cue and the settings stay the same, so an editor
 * reassesses only what changed.
 * @param next the cue after it, since a line may end in a word that belongs to that cue
 * @param language BCP 47
 * @example
 * assessCue({ start: 0, end: 0.5, lines: ['Hello.'] }, undefined, DEFAULT_CAPTION_SETTINGS, 'en').quality.flags;
 * // => ['duration_below_minimum']
 */
export function assessCue(
  cue: TimedLines,
  next: TimedLines | undefined,
  settings: CaptionSettings,
  language = 'en',
): JudgedCue {
  const { quality, penalty, speedLimit } = judge(cue, next, settings, languageOf(language));
  return {
    quality,
    warnings: quality.flags.map((flag) => warning(quality, flag, settings, speedLimit)),
    penalty: Math.min(1, penalty),
  };
}

/**
 * Makes the report on cues that were assessed one by one.
 * @param numberOf the number of the cue at a position; by default they count from 1
 */
function summarize(
  judged: readonly JudgedCue[],
  numberOf: (at: number) => number = (at) => at + 1,
): Static<typeof CaptionQuality> {
  const warnings = judged.flatMap(({ warnings }, at) =>
    warnings.map(({ flag, severity, says }) => {
      const cue = numberOf(at);
      return { cue, flag, severity, message: `Caption ${cue} ${says}.` };
    }),
  );
  return {
    score: scoreOf(judged),
    summary: summaryOf(judged),
    warnings,
    cues: judged.map(({ quality }, at) => ({ cue: numberOf(at), ...quality })),
  };
}

/**
 * Only the summary of a report, which the review recomputes at each key press.
 * @example
 * const judged = assessCue({ start: 0, end: 2, lines: ['Hello.'] }, undefined, DEFAULT_CAPTION_SETTINGS);
 * summaryOf([judged]).maxCharsPerSecond; // => 3
 */
export function summaryOf(judged: readonly Summarised[]): Static<typeof CaptionQuality>['summary'] {
  const summary = {
    cueCount: judged.length,
    warningCount: 0,
    maxLineLength: 0,
    maxCharsPerSecond: 0,
    maxWordsPerSecond: 0,
  };
  for (const { quality, warnings } of judged) {
    summary.warningCount += warnings.length;
    for (const length of quality.lineLengths) {
      summary.maxLineLength = Math.max(summary.maxLineLength, length);
    }
    summary.maxCharsPerSecond = Math.max(summary.maxCharsPerSecond, quality.charsPerSecond);
    summary.maxWordsPerSecond = Math.max(summary.maxWordsPerSecond, quality.wordsPerSecond);
  }
  return summary;
}

/**
 * The score of assessed cues: 1 without any problem, at least 0, and 0 if there are none, because then nothing was
 * captioned.
 * @example
 * scoreOf([]); // => 0
 */
export function scoreOf(judged: readonly Pick<JudgedCue, 'penalty'>[]): number {
  const penalties = judged.reduce((sum, { penalty }) => sum + penalty, 0);
  return judged.length === 0 ? 0 : round(1 - penalties / judged.length);
}

interface Judgement {
  quality: Omit<Static<typeof CaptionCueQuality>, 'cue'>;
  penalty: number;
  speedLimit: number;
}

function judge(
  cue: TimedLines,
  next: TimedLines | undefined,
  settings: CaptionSettings,
  language: Language,
): Judgement {
  const { maxLineChars, maxLines, maxDuration, minDuration } = settings;
  const duration = round(Math.max(0, cue.end - cue.start));
  const seconds = Math.max(duration, 0.001);
  const lines = withoutItalics(cue.lines);
  const lineLengths = lines.map(graphemes);
  const chars = charactersOf(lineLengths);
  const text = lines.join(' ');
  const words = countWords(text);
  const speed = chars / seconds;
  const speedLimit = speedLimitOf(text);
  const flags: CaptionQualityFlag[] = [];
  let penalty = 0;
  const flag = (name: CaptionQualityFlag, cost: number) => {
    flags.push(name);
    penalty += cost;
  };
  if (duration < minDuration - TOLERANCE) {
    flag('duration_below_minimum', 0.15 + 0.35 * ((minDuration - duration) / minDuration));
  }
  if (duration > maxDuration + TOLERANCE) {
    flag(
      'duration_above_maximum',
      0.15 + 0.35 * Math.min(1, (duration - maxDuration) / maxDuration),
    );
  }
  if (cue.lines.length > maxLines) {
    flag('line_count_above_maximum', 0.5 * (cue.lines.length - maxLines));
  }
  const over = Math.max(0, ...lineLengths) - maxLineChars;
  if (over > 0) flag('line_length_above_maximum', 0.3 + 0.4 * Math.min(1, over / maxLineChars));
  if (speed > speedLimit) {
    const excess = ((speed - speedLimit) / speedLimit) * SPEED_LIMIT;
    flag('reading_speed_high', 0.1 + 0.4 * Math.min(1, excess / 10));
  }
  if (hasDanglingLine(lines, next, language)) flag('dangling_line_break', 0.2);
  return {
    quality: {
      duration,
      charsPerSecond: round(speed),
      wordsPerSecond: round(words / seconds),
      chars,
      words,
      lineCount: cue.lines.length,
      lineLengths,
      flags,
    },
    penalty,
    speedLimit,
  };
}

/** Whether a line ends in a small word that belongs to the next word. Never true at the end of the talk. */
const hasDanglingLine = (
  lines: readonly string[],
  next: TimedLines | undefined,
  language: Language,
): boolean =>
  lines.some((line, at) => {
    const following = lines[at + 1] ?? withoutItalics(next?.lines ?? [])[0];
    if (following === undefined) return false;
    const last = line.trim().split(/\s+/).at(-1)!;
    return danglesBefore(last, following.trim().split(/\s+/)[0]!, language);
  });

function warning(
  quality: Omit<Static<typeof CaptionCueQuality>, 'cue'>,
  flag: CaptionQualityFlag,
  settings: CaptionSettings,
  speedLimit: number,
): JudgedWarning {
  const speed = quality.charsPerSecond;
  const longest = Math.max(0, ...quality.lineLengths);
  const says: Record<CaptionQualityFlag, string> = {
    duration_below_minimum: `is shown for ${quality.duration} s; ${settings.minDuration} s is the minimum`,
    duration_above_maximum: `is shown for ${quality.duration} s; ${settings.maxDuration} s is the maximum`,
    line_count_above_maximum: `has ${quality.lineCount} lines; ${settings.maxLines} is the maximum`,
    line_length_above_maximum: `has a line of ${longest} characters; ${settings.maxLineChars} is the maximum`,
    reading_speed_high: `reads at ${Math.round(speed)} characters a second; ${speedLimit} is comfortable`,
    dangling_line_break: 'has a line that ends in a small word that belongs on the next line',
  };
  const remark =
    flag === 'dangling_line_break' ||
    (flag === 'reading_speed_high' && speed <= speedLimit * SPEED_WARNING);
  return { flag, severity: remark ? 'info' : 'warning', says: says[flag] };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
