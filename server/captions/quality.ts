/** The quality report: what a viewer would stumble over, cue by cue. */
import type {
  CaptionCue,
  CaptionCueQuality,
  CaptionQuality,
  CaptionQualityFlag,
  CaptionQualityWarning,
  CaptionSettings,
} from '../contract/captions.ts';
import { languageOf, type Language } from './language.ts';
import { danglesBefore } from './reading.ts';
import { graphemes, isWideText } from './width.ts';

/** Characters a second that adults read comfortably; wide scripts are read at fewer. */
const SPEED_LIMIT = 20;
const WIDE_SPEED_LIMIT = 9;
/** Above this many times the limit a speed is a warning, not a remark (25 for 20). */
const SPEED_WARNING = 1.25;
/** Durations are whole milliseconds: one more or less is no fault. */
const TOLERANCE = 0.0011;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Judges cues by the settings they were made with. */
export function assessCaptions(
  cues: readonly CaptionCue[],
  settings: CaptionSettings,
  language = 'en',
): CaptionQuality {
  const words = languageOf(language);
  const judged = cues.map((cue, at) => judge(cue, cues[at + 1], settings, words));
  const warnings = judged.flatMap(({ quality, speedLimit }, at) => {
    const cue = cues[at];
    return cue
      ? quality.flags.map((flag) => warning(cue, quality, flag, settings, speedLimit))
      : [];
  });
  const penalties = judged.reduce((sum, { penalty }) => sum + Math.min(1, penalty), 0);
  const qualities = judged.map(({ quality }) => quality);
  const most = (pick: (quality: CaptionCueQuality) => number): number =>
    qualities.reduce((highest, quality) => Math.max(highest, pick(quality)), 0);
  return {
    score: cues.length === 0 ? 1 : round(1 - penalties / cues.length),
    summary: {
      cueCount: cues.length,
      warningCount: warnings.length,
      maxLineLength: most(({ lineLengths }) => Math.max(0, ...lineLengths)),
      maxCharsPerSecond: most(({ charsPerSecond }) => charsPerSecond),
      maxWordsPerSecond: most(({ wordsPerSecond }) => wordsPerSecond),
    },
    warnings,
    cues: qualities,
  };
}

interface Judged {
  quality: CaptionCueQuality;
  penalty: number;
  speedLimit: number;
}

function judge(
  cue: CaptionCue,
  next: CaptionCue | undefined,
  settings: CaptionSettings,
  language: Language,
): Judged {
  const { maxLineChars, maxLines, maxDuration, minDuration } = settings;
  const duration = round(Math.max(0, cue.end - cue.start));
  const seconds = Math.max(duration, 0.001);
  const lineLengths = cue.lines.map(graphemes);
  const chars =
    lineLengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lineLengths.length - 1);
  const text = cue.lines.join(' ');
  const words = countWords(text);
  const speed = chars / seconds;
  const speedLimit = isWideText(text) ? WIDE_SPEED_LIMIT : SPEED_LIMIT;
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
  if (hasDanglingLine(cue, next, language)) flag('dangling_line_break', 0.2);
  return {
    quality: {
      cue: cue.index,
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

/** A line that ends in a small word of what follows; the end of the talk leaves nothing to follow. */
const hasDanglingLine = (
  { lines }: CaptionCue,
  next: CaptionCue | undefined,
  language: Language,
): boolean =>
  lines.some((line, at) => {
    const following = lines[at + 1] ?? next?.lines[0];
    if (following === undefined) return false;
    const last = line.trim().split(/\s+/).at(-1) ?? '';
    return danglesBefore(last, following.trim().split(/\s+/)[0] ?? '', language);
  });

function countWords(text: string): number {
  // Where words are parted by spaces, that is how people count them.
  if (!isWideText(text))
    return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  let count = 0;
  for (const { isWordLike } of wordSegmenter.segment(text)) if (isWordLike) count += 1;
  return count;
}

function warning(
  cue: CaptionCue,
  quality: CaptionCueQuality,
  flag: CaptionQualityFlag,
  settings: CaptionSettings,
  speedLimit: number,
): CaptionQualityWarning {
  const speed = quality.charsPerSecond;
  const longest = Math.max(0, ...quality.lineLengths);
  const says: Record<CaptionQualityFlag, string> = {
    duration_below_minimum: `is shown for ${quality.duration} s; ${settings.minDuration} s is the least`,
    duration_above_maximum: `is shown for ${quality.duration} s; ${settings.maxDuration} s is the most`,
    line_count_above_maximum: `has ${quality.lineCount} lines; ${settings.maxLines} is the most`,
    line_length_above_maximum: `has a line of ${longest} characters; ${settings.maxLineChars} is the most`,
    reading_speed_high: `reads at ${Math.round(speed)} characters a second; ${speedLimit} is comfortable`,
    dangling_line_break: 'has a line that ends in a small word of the next',
  };
  const remark =
    flag === 'dangling_line_break' ||
    (flag === 'reading_speed_high' && speed <= speedLimit * SPEED_WARNING);
  return {
    cue: cue.index,
    flag,
    severity: remark ? 'info' : 'warning',
    message: `Cue ${cue.index} ${says[flag]}.`,
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
