/**
 * The rules for dividing words into cues, from the settings of a payload or from a profile, and measures of tokens.
 * Times in seconds.
 */
import type { CaptionSettings } from '../../contract/captions.ts';
import { dialogueStyleOf, type DialogueStyle } from '../cue.ts';
import type { Profile } from '../rules/profiles/profile.ts';
import { graphemes } from '../width.ts';
import type { Token } from './tokens.ts';
import { TIMING } from './timing.ts';

/** Rules for dividing words into cues. Speeds are in units of reading: columns, characters or words. */
export interface BuildRules extends CaptionSettings {
  /** The length of a text as it counts towards the length of a line. */
  lengthOf: (text: string) => number;
  /** Whether reading speed counts words instead of the length of the text. */
  readsWords: boolean;
  /** A comfortable speed, and one above which reading is hard, in units a second. */
  comfortable: number;
  fast: number;
  gap: number;
  /**
   * A longer gap than `gap` is at least this long, in seconds. So a cue that may not last until the next one disappears
   * this long before it, even while it is said. 0 if its end may lie anywhere.
   */
  closedGap: number;
  /** Whether a cue that is too short may run up to the next one without a gap. */
  touching: boolean;
  lead: number;
  linger: number;
  dialogue: DialogueStyle;
}

/** The rules for a payload's settings. Lines are measured in columns; a wide character takes two. */
export const settingsRules = (
  settings: CaptionSettings,
  language: string,
): Omit<BuildRules, 'lengthOf'> => ({
  ...settings,
  readsWords: false,
  comfortable: TIMING.targetSpeed,
  fast: TIMING.fastSpeed,
  gap: TIMING.gap,
  closedGap: 0,
  touching: true,
  lead: TIMING.leadIn,
  linger: TIMING.linger,
  dialogue: dialogueStyleOf(language),
});

/** The share of a profile's speed limit that reads comfortably. */
const COMFORTABLE_SHARE = 0.85;

/**
 * The rules of a profile. Every character counts as a whole one, even where the publisher counts some as half, so that
 * a checker that counts whole characters finds no violation either.
 * @param rate frames a second, or 1000
 * @example
 * profileRules(profileOf('netflix'), 25).gap; // => 0.08
 */
export function profileRules(profile: Profile, rate: number): BuildRules {
  const { maxLineChars, maxLines, minDuration, maxDuration, speed, dialogue } = profile;
  const fast = speed.unit === 'words' ? speed.perMinute / 60 : speed.perSecond;
  const frame = rate === 1000 ? 1 / 24 : 1 / rate;
  return {
    maxLineChars,
    maxLines,
    minDuration,
    // One frame shorter, so that a cue can begin and end on frames.
    maxDuration: Math.max(minDuration, maxDuration - frame),
    lengthOf: graphemes,
    readsWords: speed.unit === 'words',
    comfortable: fast * COMFORTABLE_SHARE,
    fast,
    gap: profile.gapFrames * frame,
    closedGap: profile.closedGap,
    touching: profile.gapFrames === 0,
    lead: profile.leadFrames * frame,
    linger: profile.linger,
    dialogue,
  };
}

/** The times and lengths of tokens. */
export interface Measures {
  /** In seconds. */
  starts: Float64Array;
  ends: Float64Array;
  /** The columns at which each token begins and ends, from the start of the talk. */
  left: Float64Array;
  right: Float64Array;
}

/**
 * Measures tokens; see Measures.
 * @param sizeOf the length of a token; by default its columns
 */
export function measure(
  tokens: readonly Token[],
  sizeOf: (token: Token) => number = ({ columns }) => columns,
): Measures {
  const count = tokens.length;
  const [starts, ends, left, right] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const token = tokens[index]!;
    starts[index] = token.start;
    ends[index] = token.end;
    left[index] = at + (token.spaced ? 1 : 0);
    at = right[index] = left[index]! + sizeOf(token);
  }
  return { starts, ends, left, right };
}

/** The columns that the tokens from `from` up to but not including `to` take on one line. */
export const lineColumns = ({ left, right }: Measures, from: number, to: number): number =>
  right[to - 1]! - left[from]!;
