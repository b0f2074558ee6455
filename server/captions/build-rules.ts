/** The rules for dividing words into cues, from the settings of a payload or from a profile. Times in seconds. */
import type { CaptionSettings } from '../contract/captions.ts';
import { dialogueStyleOf, type DialogueStyle } from './dialogue.ts';
import type { Profile } from './profiles/profile.ts';
import { COMFORTABLE_SPEED, FAST_SPEED, GAP, LEAD_IN, LINGER } from './timing.ts';
import { graphemes } from './width.ts';

/** Rules of division. Speeds are in units of reading: columns, characters or words. */
export interface BuildRules extends CaptionSettings {
  /** The length of a text, as lines are measured. */
  lengthOf: (text: string) => number;
  /** Whether reading is measured in words rather than in the length of lines. */
  readsWords: boolean;
  /** Units a second that are comfortable, and that are hard to follow. */
  comfortable: number;
  fast: number;
  gap: number;
  /** Whether a cue that lacks time may touch the next. */
  touching: boolean;
  lead: number;
  linger: number;
  dialogue: DialogueStyle;
}

/** The rules of a payload's settings: lines in columns, of which a wide character takes two. */
export const settingsRules = (
  settings: CaptionSettings,
  language: string,
): Omit<BuildRules, 'lengthOf'> => ({
  ...settings,
  readsWords: false,
  comfortable: COMFORTABLE_SPEED,
  fast: FAST_SPEED,
  gap: GAP,
  touching: true,
  lead: LEAD_IN,
  linger: LINGER,
  dialogue: dialogueStyleOf(language),
});

/** Of the speed that a profile allows: what is comfortable. */
const COMFORTABLE_SHARE = 0.85;

/**
 * The rules of a profile. Lines count every character as whole, also where the publisher counts some as half: so a
 * checker that does not finds no fault either.
 * @param rate frames a second, or 1000
 */
export function profileRules(profile: Profile, rate: number): BuildRules {
  const { maxLineChars, maxLines, minDuration, maxDuration, speed, dialogue } = profile;
  const fast = speed.unit === 'words' ? speed.perMinute / 60 : speed.perSecond;
  const frame = rate === 1000 ? 1 / 24 : 1 / rate;
  return {
    maxLineChars,
    maxLines,
    minDuration,
    // A frame less, so that a cue may begin and end on frames.
    maxDuration: Math.max(minDuration, maxDuration - frame),
    lengthOf: graphemes,
    readsWords: speed.unit === 'words',
    comfortable: fast * COMFORTABLE_SHARE,
    fast,
    gap: profile.gapFrames * frame,
    touching: profile.gapFrames === 0,
    lead: profile.leadFrames * frame,
    linger: profile.linger,
    dialogue,
  };
}
