/** The rules a publisher has for captions, as data. */
import type { DialogueStyle } from '../dialogue.ts';

/** What a rule is about. */
export type RuleName =
  | 'line_length'
  | 'line_count'
  | 'reading_speed'
  | 'min_duration'
  | 'max_duration'
  | 'gap'
  | 'small_gap'
  | 'on_frames'
  | 'shot_in'
  | 'shot_out'
  | 'two_speakers';

/** A rule in its publisher's terms, and the page it is from. */
export interface Rule {
  /** The rule as one sentence. */
  sentence: string;
  source: string;
}

/** How fast a caption may be to read. */
export type ReadingSpeed =
  | { unit: 'characters'; perSecond: number }
  | { unit: 'words'; perMinute: number };

/** How captions stand to shot changes; in frames. */
export interface ShotRules {
  /** How many frames before the first frame of a shot a caption ends. */
  before: number;
}

/** What captions of one publisher and one language keep to. Times in seconds where nothing else is said. */
export interface Profile {
  name: string;
  /** The publisher, and whom the captions are for. */
  title: string;
  /** BCP 47. */
  language: string;
  maxLines: number;
  /** Characters a line, as `narrow` counts them. */
  maxLineChars: number;
  /** What a Latin letter, a space or a mark counts; half where full-width characters set the measure. */
  narrow: 1 | 0.5;
  speed: ReadingSpeed;
  minDuration: number;
  maxDuration: number;
  /** The least time between captions, in frames. */
  gapFrames: number;
  /** A longer gap, up to so many seconds, is closed to the least. */
  closedGap: number;
  /** How long a caption may stay after its speech to be read. */
  linger: number;
  /** How many frames a caption may begin before or after its speech where it lacks time. */
  leadFrames: number;
  lateFrames: number;
  /** Frames a second where nobody says; null where captions need no frames. */
  frameRate: number | null;
  shots: ShotRules | null;
  dialogue: DialogueStyle;
  /** The rules that the publisher has written down; the rest is the service's own choice. */
  rules: Partial<Record<RuleName, Rule>>;
}
