/** The rules of publishers, as the desk chooses them. */
import { FRAME_RATES } from '../../server/captions/frames.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
} from '../../server/captions/profiles/profiles.ts';
import type { Profile } from '../../server/captions/profiles/profile.ts';
import { ProfileChecker } from './model/profile-violations.ts';

export { FRAME_RATES };

/** The profiles to choose from for a language, each with what it is called. @param language BCP 47 */
export const profileChoices = (language: string): (readonly [name: string, title: string])[] =>
  PROFILE_NAMES.map((name) => [name, profileOf(name, language).title] as const);

/** The profile of a name; null where there is none. @param language BCP 47 */
export const profileNamed = (name: string, language: string): Profile | null =>
  isProfileName(name) ? profileOf(name, language) : null;

/**
 * The check by a profile; null where there is none of that name.
 * @param frameRate frames a second; that of the profile where it is null
 * @param shots when shots begin, in seconds
 */
export const checkerFor = (
  name: string,
  language: string,
  frameRate: number | null,
  shots: readonly number[],
): ProfileChecker | null => {
  const profile = profileNamed(name, language);
  if (!profile) return null;
  return new ProfileChecker(profile, { shots, ...(frameRate === null ? {} : { frameRate }) });
};
