/** Shared by checking captions and fixing them. */
import type { Caption } from './cue.ts';
import type { Profile, RuleName } from './profiles/profile.ts';
import type { Shots } from './shots.ts';

/** A caption in the place of another. */
export interface Replacement {
  at: number;
  caption: Caption;
}

/** A fault without its fix. */
export interface Fault {
  rule: RuleName;
  says: string;
  /** By how much the rule is broken, in whatever it counts. */
  by: number;
}

/** What a check needs at hand. */
export interface Checker {
  profile: Profile;
  /** Frames a second, or null. */
  rate: number | null;
  shots: Shots | null;
  /** The faults of one caption, by itself and against the next. */
  faultsOf: (cue: Caption, next: Caption | undefined) => Fault[];
}
