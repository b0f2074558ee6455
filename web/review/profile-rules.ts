/** The rules of publishers, and of houses' own profiles, as the desk chooses them. */
import { FRAME_RATES } from '../../server/captions/frames.ts';
import {
  HouseProfileError,
  houseProfileFrom,
  houseRules,
  type HouseProfile,
} from '../../server/captions/profiles/house-profile.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
} from '../../server/captions/profiles/profiles.ts';
import type { CheckedPicture } from '../../server/captions/check.ts';
import type { Profile } from '../../server/captions/profiles/profile.ts';
import { ProfileChecker } from './model/profile-violations.ts';
import { profiles } from './profile-strings.ts';
import { settings } from './settings.ts';

export { FRAME_RATES };

/** Before the name of a house's profile among the names to choose from: publishers' names have no colon. */
const HOUSE = 'house:';

/** The name under which a house's profile is chosen. */
export const choiceOf = ({ name }: HouseProfile): string => HOUSE + name;

/** The profiles of houses that this browser keeps; what is kept and is no profile is passed over. */
export const houseProfiles = (): HouseProfile[] =>
  settings.houseProfiles.value.flatMap((kept) => {
    try {
      return [houseProfileFrom(kept)];
    } catch (error) {
      if (error instanceof HouseProfileError) return [];
      throw error;
    }
  });

/** Keeps a profile, in place of the one of its name and of the one that it was. */
export function keepHouseProfile(profile: HouseProfile, before?: string): void {
  const kept = houseProfiles();
  const at = kept.findIndex(({ name }) => name === (before ?? profile.name));
  const others = kept.filter(({ name }) => name !== profile.name && name !== before);
  settings.houseProfiles.value = others.toSpliced(at < 0 ? others.length : at, 0, profile);
  const chosen = settings.profile.peek();
  if (before !== undefined && chosen === HOUSE + before) settings.profile.value = choiceOf(profile);
}

/** Forgets a profile; captions that were checked by it are checked by the limits of their run. */
export function dropHouseProfile(profile: HouseProfile): void {
  settings.houseProfiles.value = houseProfiles().filter(({ name }) => name !== profile.name);
  if (settings.profile.peek() === choiceOf(profile)) settings.profile.value = '';
}

/**
 * The picture that captions are checked and built for.
 * @param frameRate frames a second; that of the profile where it is null
 * @param shots when shots begin, in seconds
 */
export const pictureOf = (frameRate: number | null, shots: readonly number[]): CheckedPicture => ({
  shots,
  ...(frameRate === null ? {} : { frameRate }),
});

/**
 * The profiles to choose from for a language, each with what it is called: those of houses first.
 * @param language BCP 47
 */
export const profileChoices = (language: string): (readonly [name: string, title: string])[] => [
  ...houseProfiles().map((house) => [choiceOf(house), house.name] as const),
  ...publishedChoices(language),
];

/** Those of publishers, and the service's own. @param language BCP 47 */
export const publishedChoices = (language: string) =>
  PROFILE_NAMES.map(
    (name) =>
      [name, name === 'default' ? profiles.service : profileOf(name, language).title] as const,
  );

/** The profile of a name; null where there is none. @param language BCP 47 */
export function profileNamed(name: string, language: string): Profile | null {
  if (isProfileName(name)) return profileOf(name, language);
  const house = houseProfiles().find((each) => choiceOf(each) === name);
  return house ? houseRules(house, language) : null;
}

/** Frames a second by choice, or else by what is known of the picture, where a profile minds frames at all. */
export const rateFor = (
  { frameRate }: Profile,
  chosen: number | null,
  learnt: number | null,
): number | null => chosen ?? (frameRate === null ? null : learnt);

/** The check by a profile; null where there is none of that name. */
export const checkerFor = (
  name: string,
  language: string,
  { chosen, learnt, shots }: CheckedBy,
): ProfileChecker | null => {
  const profile = profileNamed(name, language);
  if (!profile) return null;
  return new ProfileChecker(profile, pictureOf(rateFor(profile, chosen, learnt), shots));
};

/** What is known of the picture: frames a second as chosen and as learnt, and when shots begin, in seconds. */
export interface CheckedBy {
  chosen: number | null;
  learnt: number | null;
  shots: readonly number[];
}
