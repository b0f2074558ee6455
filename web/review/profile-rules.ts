/** The rules of publishers, as the desk chooses them. */
import { FRAME_RATES } from '../../server/captions/frames.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
} from '../../server/captions/profiles/profiles.ts';
import type { CheckedPicture } from '../../server/captions/check.ts';
import type { Profile } from '../../server/captions/profiles/profile.ts';
import { ProfileChecker } from './model/profile-violations.ts';
import { profiles } from './profile-strings.ts';

export { FRAME_RATES };

/**
 * The picture that captions are checked and built for.
 * @param frameRate frames a second; that of the profile where it is null
 * @param shots when shots begin, in seconds
 */
export const pictureOf = (frameRate: number | null, shots: readonly number[]): CheckedPicture => ({
  shots,
  ...(frameRate === null ? {} : { frameRate }),
});

/** The profiles to choose from for a language, each with what it is called. @param language BCP 47 */
export const profileChoices = (language: string): (readonly [name: string, title: string])[] =>
  PROFILE_NAMES.map((name) => [
    name,
    name === 'default' ? profiles.service : profileOf(name, language).title,
  ]);

/** The profile of a name; null where there is none. @param language BCP 47 */
export const profileNamed = (name: string, language: string): Profile | null =>
  isProfileName(name) ? profileOf(name, language) : null;

/** The check by a profile on a picture (see pictureOf); null where there is none of that name. */
export const checkerFor = (
  name: string,
  language: string,
  frameRate: number | null,
  shots: readonly number[],
): ProfileChecker | null => {
  const profile = profileNamed(name, language);
  if (!profile) return null;
  return new ProfileChecker(profile, pictureOf(frameRate, shots));
};
