/** Custom profiles: a built-in profile with changes, as a JSON file that people write and exchange. */
import type { DialogueStyle } from '../../dialogue.ts';
import { checkHouseProfile, type HouseIssue } from './house-profile-check.ts';
import type { Profile, ReadingSpeed, Rule, RuleName, ShotRules } from './profile.ts';
import { profileOf, type ProfileName } from './profiles.ts';

/** The format of the file, and its version. */
export const HOUSE_PROFILE_FORMAT = 'captioner-profile-1';

/** The changes of a custom profile. Anything absent is as in the base profile. Units as in Profile. */
export interface HouseChanges {
  maxLines?: number;
  maxLineChars?: number;
  speed?: ReadingSpeed;
  minDuration?: number;
  maxDuration?: number;
  gapFrames?: number;
  closedGap?: number;
  frameRate?: number | null;
  shots?: ShotRules | null;
  dialogue?: DialogueStyle;
}

/** A custom profile, as its file holds it. */
export interface HouseProfile extends HouseChanges {
  format: typeof HOUSE_PROFILE_FORMAT;
  name: string;
  base: ProfileName;
}

/** Thrown for a file that is not a valid profile. The message lists each error on a line, for the file's author. */
export class HouseProfileError extends Error {
  override name = 'HouseProfileError';
  readonly issues: readonly HouseIssue[];
  constructor(issues: readonly HouseIssue[]) {
    super(issues.map(({ field, says }) => (field === '' ? says : `${field} ${says}`)).join('\n'));
    this.issues = issues;
  }
}

/**
 * Reads the file of a custom profile.
 * @throws {HouseProfileError} with every error in the file
 * @example
 * readHouseProfile('{"format":"captioner-profile-1","name":"Ours","base":"bbc","maxLines":3}').maxLines; // => 3
 */
export function readHouseProfile(text: string): HouseProfile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new HouseProfileError([{ field: '', says: 'The file is not JSON.' }]);
  }
  return houseProfileFrom(value);
}

/**
 * Reads a custom profile from a parsed JSON value.
 * @throws {HouseProfileError} with every error in it
 * @example
 * houseProfileFrom({ format: 'captioner-profile-1', name: ' Ours ', base: 'bbc' }).name; // => 'Ours'
 */
export function houseProfileFrom(value: unknown): HouseProfile {
  const issues = checkHouseProfile(value, HOUSE_PROFILE_FORMAT);
  if (issues.length > 0) throw new HouseProfileError(issues);
  const found = value as HouseProfile;
  const { minDuration, maxDuration } = { ...profileOf(found.base), ...found };
  if (minDuration > maxDuration) {
    const says = `must be at most maxDuration, which is ${maxDuration}`;
    throw new HouseProfileError([{ field: 'minDuration', says }]);
  }
  return { ...found, name: found.name.trim() };
}

/**
 * Writes the file of a custom profile, as readHouseProfile reads it.
 * @example
 * writeHouseProfile({ format: 'captioner-profile-1', name: 'Ours', base: 'bbc' });
 * // => '{\n  "format": "captioner-profile-1",\n  "name": "Ours",\n  "base": "bbc"\n}\n'
 */
export const writeHouseProfile = ({ format, name, base, ...changes }: HouseProfile): string =>
  `${JSON.stringify({ format, name, base, ...changes }, null, 2)}\n`;

/**
 * The rules of a custom profile for a language: its changes on top of those of its base profile.
 * @param language BCP 47
 * @example
 * const ours = readHouseProfile('{"format":"captioner-profile-1","name":"Ours","base":"bbc","maxLines":3}');
 * houseRules(ours, 'en').rules.line_count?.source; // => 'Ours'
 */
export function houseRules(house: HouseProfile, language = 'en'): Profile {
  const { format: _, name, base, ...changes } = house;
  const from = profileOf(base, language);
  const profile: Profile = { ...from, ...changes, name, title: name };
  const changed = Object.entries(sentencesOf(profile, changes)).flatMap(([rule, sentence]) =>
    sentence === undefined ? [] : [[rule, { sentence, source: name } satisfies Rule] as const],
  );
  const rules = { ...from.rules, ...Object.fromEntries(changed) };
  if (changes.frameRate === null) delete rules.on_frames;
  if (profile.shots === null) {
    delete rules.shot_in;
    delete rules.shot_out;
  }
  if (profile.closedGap <= 0) delete rules.small_gap;
  return { ...profile, rules };
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The sentences for the rules that a custom profile changes. */
function sentencesOf(profile: Profile, changes: HouseChanges): Partial<Record<RuleName, string>> {
  const { maxLines, maxLineChars, narrow, speed, minDuration, maxDuration, gapFrames } = profile;
  const has = (key: keyof HouseChanges): boolean => changes[key] !== undefined;
  const frames = `${plural(gapFrames, 'frame lies', 'frames lie')} between captions`;
  const shots = profile.shots && has('shots') ? profile.shots : null;
  return {
    ...(has('maxLines') && {
      line_count: `A caption has at most ${plural(maxLines, 'line')}.`,
    }),
    ...(has('maxLineChars') && {
      line_length: `A line has at most ${plural(maxLineChars, 'character')}${
        narrow === 1 ? '' : '; Latin letters, spaces and punctuation count as half'
      }.`,
    }),
    ...(has('speed') && {
      reading_speed: `A caption reads at up to ${
        speed.unit === 'words'
          ? `${plural(speed.perMinute, 'word')} a minute`
          : `${plural(speed.perSecond, 'character')} a second`
      }.`,
    }),
    ...(has('minDuration') && {
      min_duration: `A caption lasts at least ${plural(minDuration, 'second')}.`,
    }),
    ...(has('maxDuration') && {
      max_duration: `A caption lasts at most ${plural(maxDuration, 'second')}.`,
    }),
    ...(has('gapFrames') && {
      gap: gapFrames === 0 ? 'One caption ends before the next begins.' : `At least ${frames}.`,
    }),
    ...((has('closedGap') || has('gapFrames')) && {
      small_gap: `Gaps of up to ${plural(profile.closedGap, 'second')} are closed${
        gapFrames === 0 ? '' : ` to ${plural(gapFrames, 'frame')}`
      }.`,
    }),
    ...(typeof changes.frameRate === 'number' && {
      on_frames: 'Captions begin and end on frames.',
    }),
    ...(shots && {
      shot_in:
        'A caption that begins near a shot change begins on its first frame, or half a second away.',
      shot_out: `A caption that ends near a shot change ends ${
        shots.before === 0
          ? 'with the last frame of the shot'
          : `${plural(shots.before, 'frame')} before it`
      }, or half a second after it.`,
    }),
    ...(changes.dialogue && {
      two_speakers: `Two speakers in one caption have a line each, ${
        changes.dialogue.lines === 'second' ? 'the second' : 'both'
      } with a hyphen ${changes.dialogue.dash === '-' ? 'without' : 'followed by'} a space.`,
    }),
  };
}
