/** A publisher's rules for captions, as data. */
import type { DialogueStyle } from '../../cue.ts';

/** The subject of a rule. */
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

/** A rule in its publisher's words, and the page it is from. */
interface Rule {
  /** The rule as one sentence. */
  sentence: string;
  source: string;
}

/** The speed limit for reading captions. */
type ReadingSpeed =
  | { unit: 'characters'; perSecond: number }
  | { unit: 'words'; perMinute: number };

/** The rules on captions near shot changes, in frames. */
interface ShotRules {
  /** A caption ends so many frames before the first frame of a shot. */
  before: number;
}

/** The rules of one publisher for one language. Times are in seconds unless noted. */
export interface Profile {
  name: string;
  /** The publisher and the audience. */
  title: string;
  /** BCP 47. */
  language: string;
  maxLines: number;
  /** The most characters on a line, as `narrow` counts them. */
  maxLineChars: number;
  /** The weight of a Latin letter, space or mark: half where lines are measured in full-width characters. */
  narrow: 1 | 0.5;
  speed: ReadingSpeed;
  minDuration: number;
  maxDuration: number;
  /** The smallest gap between captions, in frames. */
  gapFrames: number;
  /** A gap longer than the smallest is reduced to it if it lasts less than this. */
  closedGap: number;
  /** The longest time that a caption may stay after its speech so that it can be read. */
  linger: number;
  /** The most frames that a caption short of time may begin before or after its speech. */
  leadFrames: number;
  lateFrames: number;
  /** The default number of frames a second; null if captions need not begin on frames. */
  frameRate: number | null;
  shots: ShotRules | null;
  dialogue: DialogueStyle;
  /** The rules that the publisher has written down; everything else is the service's own choice. */
  rules: Partial<Record<RuleName, Rule>>;
}
