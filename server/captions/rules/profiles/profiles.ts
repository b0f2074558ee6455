/** The built-in profiles, by name. */
import { DEFAULT_CAPTION_SETTINGS } from '../../../contract/caption-defaults.ts';
import type { CaptionSettings } from '../../../contract/captions.ts';
import { dialogueStyleOf } from '../../cue.ts';
import { bbc, dcmp, netflix, youtube } from './publishers.ts';
import type { Profile } from './profile.ts';

const MAKERS = {
  netflix: (name, language) => netflix(name, language, 'adult'),
  'netflix-children': (name, language) => netflix(name, language, 'children'),
  'netflix-sdh': (name, language) => netflix(name, language, 'sdh'),
  'netflix-sdh-children': (name, language) => netflix(name, language, 'sdh-children'),
  bbc,
  dcmp: (name, language) => dcmp(name, language, 'adult'),
  'dcmp-children': (name, language) => dcmp(name, language, 'children'),
  youtube,
  default: service,
} satisfies Record<string, (name: string, language: string) => Profile>;

export type ProfileName = keyof typeof MAKERS;

/** The names of all profiles. */
// oxlint-disable-next-line no-unsafe-type-assertion -- the keys of an object of this file
export const PROFILE_NAMES = Object.keys(MAKERS) as ProfileName[];

/** The source of the service's own rules. */
const OURS = 'the service';

function service(name: string, language: string): Profile {
  const isWide = /^(?:ja|ko|zh)\b/i.test(language);
  const perSecond = isWide ? 9 : 20;
  const { maxLines, maxLineChars, minDuration, maxDuration } = DEFAULT_CAPTION_SETTINGS;
  const rule = (sentence: string) => ({ sentence, source: OURS });
  return {
    name,
    title: 'Captioner',
    language,
    maxLines,
    maxLineChars: isWide ? maxLineChars / 2 : maxLineChars,
    narrow: isWide ? 0.5 : 1,
    speed: { unit: 'characters', perSecond },
    minDuration,
    maxDuration,
    gapFrames: 0,
    closedGap: 0.5,
    linger: 1,
    leadFrames: 5,
    lateFrames: 0,
    frameRate: null,
    shots: null,
    dialogue: dialogueStyleOf(language),
    rules: {
      line_length: rule(
        `A line has at most ${isWide ? maxLineChars / 2 : maxLineChars} characters.`,
      ),
      line_count: rule(`A caption has at most ${maxLines} lines.`),
      reading_speed: rule(`A caption reads at up to ${perSecond} characters a second.`),
      min_duration: rule(`A caption lasts at least ${minDuration} seconds.`),
      max_duration: rule(`A caption lasts at most ${maxDuration} seconds.`),
      gap: rule('One caption ends before the next begins.'),
    },
  };
}

/**
 * The rules of a publisher for a language.
 * @param language BCP 47
 * @example
 * profileOf('netflix', 'ko').maxLineChars; // => 16
 */
export const profileOf = (name: ProfileName, language = 'en'): Profile =>
  MAKERS[name](name, language);

/**
 * Whether a built-in profile has this name.
 * @example
 * isProfileName('bbc'); // => true
 * isProfileName('ours'); // => false
 */
export const isProfileName = (name: string): name is ProfileName => Object.hasOwn(MAKERS, name);

/**
 * A profile with settings that a request names. They replace the profile's values and its rules on the same subjects.
 * @example
 * withSettings(profileOf('netflix'), { maxLines: 3 }).rules.line_count?.sentence;
 * // => 'A caption has at most 3 lines.'
 */
export function withSettings(profile: Profile, settings: Partial<CaptionSettings>): Profile {
  const { maxLineChars, maxLines, minDuration, maxDuration } = settings;
  const rules = { ...profile.rules };
  const asked = (sentence: string) => ({ sentence, source: 'the settings' });
  if (maxLineChars !== undefined)
    rules.line_length = asked(`A line has at most ${maxLineChars} characters.`);
  if (maxLines !== undefined) rules.line_count = asked(`A caption has at most ${maxLines} lines.`);
  if (minDuration !== undefined)
    rules.min_duration = asked(`A caption lasts at least ${minDuration} seconds.`);
  if (maxDuration !== undefined)
    rules.max_duration = asked(`A caption lasts at most ${maxDuration} seconds.`);
  return {
    ...profile,
    ...(maxLineChars === undefined ? {} : { maxLineChars, narrow: 1 as const }),
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(minDuration === undefined ? {} : { minDuration }),
    ...(maxDuration === undefined ? {} : { maxDuration }),
    rules,
  };
}
