/** Captions, their settings, and the report on their quality. */
import { closed, enumeration, open, Type, type Static } from './schema.ts';
import { OPTION } from './limits.ts';

/** Caption settings: the payload's `captions` with defaults filled in, in seconds and characters. */
export const CaptionSettings = closed({
  maxLineChars: Type.Integer(OPTION.maxLineChars),
  maxLines: Type.Integer(OPTION.maxLines),
  maxDuration: Type.Number(OPTION.maxDuration),
  minDuration: Type.Number(OPTION.minDuration),
});
export type CaptionSettings = Static<typeof CaptionSettings>;

const clock = () => Type.String({ pattern: '^\\d\\d:\\d\\d:\\d\\d,\\d\\d\\d$' });

/** One caption, numbered from 1, with its times in seconds and as SRT writes them. Contract 2.4. */
export const CaptionCue = closed({
  index: Type.Integer({ minimum: 1 }),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  startTime: clock(),
  endTime: clock(),
  text: Type.String(),
  lines: Type.Array(Type.String()),
});
export type CaptionCue = Static<typeof CaptionCue>;

const CAPTION_QUALITY_FLAGS = [
  'duration_below_minimum',
  'duration_above_maximum',
  'line_count_above_maximum',
  'line_length_above_maximum',
  'reading_speed_high',
  'dangling_line_break',
] as const;

/** The kinds of quality warnings for a cue. Contract 2.4. */
export const CaptionQualityFlag = enumeration(CAPTION_QUALITY_FLAGS);
export type CaptionQualityFlag = Static<typeof CaptionQualityFlag>;

/** One warning about one cue, with a sentence for people; `cue` counts from 1. Contract 2.4. */
export const CaptionQualityWarning = open({
  cue: Type.Integer({ minimum: 1 }),
  flag: CaptionQualityFlag,
  severity: enumeration(['info', 'warning']),
  message: Type.String(),
});

const count = () => Type.Integer({ minimum: 0 });

/**
 * Measurements of one cue: `duration` in seconds, lengths in characters (graphemes). Contract 2.4.
 */
export const CaptionCueQuality = open({
  cue: Type.Integer({ minimum: 1 }),
  duration: Type.Number({ minimum: 0 }),
  charsPerSecond: Type.Number({ minimum: 0 }),
  wordsPerSecond: Type.Number({ minimum: 0 }),
  chars: count(),
  words: count(),
  lineCount: count(),
  lineLengths: Type.Array(count()),
  flags: Type.Array(CaptionQualityFlag),
});

/**
 * The quality report of captions. `score` is of their format, lowered where speech was misheard or is missing; 1 is the best. Contract 2.4.
 */
export const CaptionQuality = open({
  score: Type.Number({ minimum: 0, maximum: 1 }),
  summary: open({
    cueCount: count(),
    warningCount: count(),
    maxLineLength: count(),
    maxCharsPerSecond: Type.Number({ minimum: 0 }),
    maxWordsPerSecond: Type.Number({ minimum: 0 }),
  }),
  warnings: Type.Array(CaptionQualityWarning),
  cues: Type.Array(CaptionCueQuality),
});
