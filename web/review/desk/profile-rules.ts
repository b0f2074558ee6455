/** The profiles a review can use: those of publishers and house profiles. */
import { FRAME_RATES } from '../../../server/captions/frames.ts';
import {
  HouseProfileError,
  houseProfileFrom,
  houseRules,
  type HouseProfile,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
} from '../../../server/captions/rules/profiles/profiles.ts';
import type { CheckedPicture } from '../../../server/captions/rules/check.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';
import { ProfileChecker } from '../model/profile-violations.ts';
import { profiles } from '../../texts/profiles-and-rebuilding.ts';
import { settings } from './settings.ts';

export { FRAME_RATES };

/** The prefix of a house profile's name in the list of choices; publishers' names have no colon. */
const HOUSE = 'house:';

/** The name under which a house profile is chosen. */
export const choiceOf = ({ name }: HouseProfile): string => HOUSE + name;

/** The house profiles stored in this browser; invalid ones are skipped. */
export const houseProfiles = (): HouseProfile[] =>
  settings.houseProfiles.value.flatMap((kept) => {
    try {
      return [houseProfileFrom(kept)];
    } catch (error) {
      if (error instanceof HouseProfileError) return [];
      throw error;
    }
  });

/**
 * Stores a profile in place of any with the same name.
 * @param before the previous name of the profile, which is removed
 */
export function keepHouseProfile(profile: HouseProfile, before?: string): void {
  const kept = houseProfiles();
  const at = kept.findIndex(({ name }) => name === (before ?? profile.name));
  const others = kept.filter(({ name }) => name !== profile.name && name !== before);
  settings.houseProfiles.value = others.toSpliced(at < 0 ? others.length : at, 0, profile);
  const chosen = settings.profile.peek();
  if (before !== undefined && chosen === HOUSE + before) settings.profile.value = choiceOf(profile);
}

/** Deletes a profile; if it was in use, the limits of the run apply. */
export function dropHouseProfile(profile: HouseProfile): void {
  settings.houseProfiles.value = houseProfiles().filter(({ name }) => name !== profile.name);
  if (settings.profile.peek() === choiceOf(profile)) settings.profile.value = '';
}

/**
 * The picture for which captions are checked and built.
 * @param frameRate frames per second; null for the profile's own
 * @param shots the starts of shots, in seconds
 */
export const pictureOf = (frameRate: number | null, shots: readonly number[]): CheckedPicture => ({
  shots,
  ...(frameRate === null ? {} : { frameRate }),
});

/**
 * The profiles to choose from for a language, with their titles; house profiles come first.
 * @param language BCP 47
 */
export const profileChoices = (language: string): (readonly [name: string, title: string])[] => [
  ...houseProfiles().map((house) => [choiceOf(house), house.name] as const),
  ...publishedChoices(language),
];

/**
 * The publishers' profiles, and the service's default.
 * @param language BCP 47
 */
export const publishedChoices = (language: string) =>
  PROFILE_NAMES.map(
    (name) =>
      [name, name === 'default' ? profiles.service : profileOf(name, language).title] as const,
  );

/**
 * The profile with a name; null if there is none.
 * @param language BCP 47
 */
export function profileNamed(name: string, language: string): Profile | null {
  if (isProfileName(name)) return profileOf(name, language);
  const house = houseProfiles().find((each) => choiceOf(each) === name);
  return house ? houseRules(house, language) : null;
}

/** The chosen frame rate; otherwise, for profiles that depend on frames, the measured one. */
export const rateFor = (
  { frameRate }: Profile,
  chosen: number | null,
  learnt: number | null,
): number | null => chosen ?? (frameRate === null ? null : learnt);

/** The checker for a profile; null if there is no such profile. */
export const checkerFor = (
  name: string,
  language: string,
  { chosen, learnt, shots }: CheckedBy,
): ProfileChecker | null => {
  const profile = profileNamed(name, language);
  if (!profile) return null;
  return new ProfileChecker(profile, pictureOf(rateFor(profile, chosen, learnt), shots));
};

/**
 * The picture as far as it is known: chosen and measured frame rate, and starts of shots, in
 * seconds.
 */
export interface CheckedBy {
  chosen: number | null;
  learnt: number | null;
  shots: readonly number[];
}
