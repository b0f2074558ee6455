/** Types shared by checking captions and fixing them. */
import type { Caption } from '../cue.ts';
import type { Profile, RuleName } from './profiles/profile.ts';
import type { Shots } from './shots.ts';

/** A caption to put in place of another. */
export interface Replacement {
  at: number;
  caption: Caption;
}

/** A violation without its fix. */
export interface RuleViolation {
  rule: RuleName;
  says: string;
  /** The amount by which the rule is broken, in the unit of the rule. */
  by: number;
}

/** The context of a check. */
export interface Checker {
  profile: Profile;
  /** Frames a second; null if the picture's rate is unknown. */
  rate: number | null;
  shots: Shots | null;
  /** The violations of one caption, alone and next to the following one. */
  violationsOf: (cue: Caption, next: Caption | undefined) => RuleViolation[];
}
