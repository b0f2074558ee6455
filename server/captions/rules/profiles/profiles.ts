/**
 * The built-in profiles, by name.
 *
 * The profiles of Netflix, the BBC, the DCMP and YouTube.
 */
import { baseOf } from '../../language-tag.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../contract/caption-defaults.ts';
import type { CaptionSettings } from '../../../contract/captions.ts';
import { dialogueStyleOf } from '../../cue.ts';
import type { Profile } from './profile.ts';

const BBC = 'https://www.bbc.co.uk/accessibility/forproducts/guides/subtitles/';
const DCMP = 'https://dcmp.org/learn/5-captioning-guidelines-for-the-dcmp';
const YOUTUBE = 'https://support.google.com/youtube/answer/2734698';

/**
 * The BBC's Subtitle Guidelines, version 1.2.3 of June 2024. Broadcast lines have 37 characters in a monospaced font
 * (online, 68% of the picture). The target minimum is about 0.3 seconds a word (4.1). A subtitle may begin up to 1.5
 * seconds before its speech and stay 1.5 seconds after it (5.2). A gap lasts at least a second (4.5). Subtitles begin
 * and end with shots (6.1), at no prescribed distance. The shortest and longest durations are the service's own.
 */
const bbc = (name: string, language: string): Profile => ({
  name,
  title: 'BBC',
  language,
  maxLines: 2,
  maxLineChars: 37,
  narrow: 1,
  speed: { unit: 'words', perMinute: 200 },
  minDuration: 0.8,
  maxDuration: 7,
  gapFrames: 0,
  closedGap: 1,
  linger: 1.5,
  leadFrames: 5,
  lateFrames: 3,
  frameRate: 25,
  shots: { before: 0 },
  dialogue: dialogueStyleOf(language),
  rules: {
    line_length: { sentence: 'A line has at most 37 characters.', source: `${BBC}#Line-length` },
    line_count: {
      sentence: 'A subtitle has at most two lines.',
      source: `${BBC}#Avoid-3-lines-or-more`,
    },
    reading_speed: {
      sentence: 'A subtitle is shown for at least 0.3 seconds a word, which is 200 words a minute.',
      source: `${BBC}#Target-minimum-timing`,
    },
    gap: { sentence: 'One subtitle ends before the next begins.', source: `${BBC}#Gaps` },
    small_gap: {
      sentence: 'A gap between subtitles lasts at least one second; a shorter one is closed.',
      source: `${BBC}#Gaps`,
    },
    on_frames: {
      sentence: 'Subtitles begin and end on frames.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    shot_in: {
      sentence: 'A subtitle that begins near a shot change begins on the first frame of the shot.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    shot_out: {
      sentence: 'A subtitle that ends near a shot change ends with the last frame of the shot.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    two_speakers: {
      sentence: 'Two speakers in one subtitle have a line each, preceded by a dash.',
      source: `${BBC}#Use-dashes`,
    },
  },
});

/**
 * The Described and Captioned Media Program's Captioning Guidelines: near verbatim for adults, 150 words a minute
 * for children.
 */
const dcmp = (name: string, language: string, audience: 'adult' | 'children'): Profile => {
  const perMinute = audience === 'adult' ? 225 : 150;
  return {
    name,
    title: `DCMP, for ${audience === 'adult' ? 'adults' : 'children'}`,
    language,
    maxLines: 2,
    maxLineChars: 32,
    narrow: 1,
    speed: { unit: 'words', perMinute },
    minDuration: 2,
    maxDuration: 8,
    gapFrames: 0,
    closedGap: 0.5,
    linger: 1.5,
    leadFrames: 6,
    lateFrames: 6,
    frameRate: null,
    shots: null,
    dialogue: dialogueStyleOf(language),
    rules: {
      line_length: { sentence: 'A line has at most 32 characters.', source: DCMP },
      reading_speed: {
        sentence: `Captions for ${audience === 'adult' ? 'adults' : 'children'} read at up to ${perMinute} words a minute.`,
        source: DCMP,
      },
      gap: { sentence: 'One caption ends before the next begins.', source: DCMP },
      min_duration: { sentence: 'A caption is shown for at least 2 seconds.', source: DCMP },
    },
  };
};

/** The times of captions whose publisher counts no frames. */
const WITHOUT_FRAMES = {
  gapFrames: 0,
  closedGap: 0.5,
  linger: 1,
  leadFrames: 5,
  lateFrames: 0,
  frameRate: null,
  shots: null,
} as const;

/** YouTube. Its only rule is that captions in a file may not overlap; everything else is the service's own. */
const youtube = (name: string, language: string): Profile => ({
  name,
  title: 'YouTube',
  language,
  maxLines: 2,
  maxLineChars: 42,
  narrow: /^(?:ja|ko|zh)\b/i.test(language) ? 0.5 : 1,
  speed: { unit: 'characters', perSecond: 20 },
  minDuration: 0.8,
  maxDuration: 7,
  ...WITHOUT_FRAMES,
  dialogue: dialogueStyleOf(language),
  rules: {
    gap: { sentence: 'Captions of one track do not overlap.', source: YOUTUBE },
  },
});

const GUIDES = 'https://partnerhelp.netflixstudios.com/hc/en-us';
const GENERAL = `${GUIDES}/articles/215758617-Timed-Text-Style-Guide-General-Requirements`;
const TIMING = `${GUIDES}/articles/360051554394-Timed-Text-Style-Guide-Subtitle-Timing-Guidelines`;
/** The guide of each language; its limits are under “Character Limitation” and “Reading Speed Limits”. */
const LANGUAGES: Record<string, string> = {
  en: `${GUIDES}/articles/217350977-English-Timed-Text-Style-Guide`,
  ar: `${GUIDES}/articles/215517947-Arabic-Timed-Text-Style-Guide`,
  de: `${GUIDES}/articles/217351587-German-Timed-Text-Style-Guide`,
  hi: `${GUIDES}/articles/115003196707-Hindi-Timed-Text-Style-Guide`,
  ja: `${GUIDES}/articles/215767517-Japanese-Timed-Text-Style-Guide`,
  ko: `${GUIDES}/articles/216001127-Korean-Timed-Text-Style-Guide`,
  ru: `${GUIDES}/articles/215346638-Russian-Timed-Text-Style-Guide`,
  th: `${GUIDES}/articles/220448308-Thai-Timed-Text-Style-Guide`,
  zh: `${GUIDES}/articles/215986007-Simplified-Chinese-PRC-Timed-Text-Style-Guide`,
};
const ALL_LANGUAGES = `${GUIDES}/sections/22463232153235-Timed-Text-Style-Guides`;

/** The audience: of subtitles, or of captions for the deaf and hard of hearing (SDH). */
type Audience = 'adult' | 'children' | 'sdh' | 'sdh-children';

/** Characters a second by audience: languages with their own limit, then all others. */
const SPEEDS: Record<Audience, Record<string, number>> = {
  adult: { ar: 20, en: 20, hi: 22, ja: 4, ko: 12, zh: 9 },
  children: { ar: 17, en: 17, hi: 18, ja: 4, ko: 9, zh: 7 },
  sdh: { ar: 23, hi: 25, ja: 7, ko: 14, zh: 11 },
  'sdh-children': { ar: 20, hi: 20, ja: 7, ko: 11, zh: 9 },
};
const OTHER_SPEED: Record<Audience, number> = {
  adult: 17,
  children: 13,
  sdh: 20,
  'sdh-children': 17,
};
/** Characters a line in languages where it is not 42. Those of Japanese are of horizontal text. */
const LINE_CHARS: Record<string, number> = { ja: 13, ko: 16, ru: 39, th: 35, zh: 16 };
/** Characters a line of Japanese for the deaf and hard of hearing. */
const JAPANESE_SDH = 16;
const FULL_WIDTH = new Set(['ja', 'ko', 'zh']);

const AUDIENCES: Record<Audience, string> = {
  adult: 'adults',
  children: 'children',
  sdh: 'the deaf and hard of hearing',
  'sdh-children': 'deaf and hard-of-hearing children',
};

/**
 * The profile for a language and an audience. @param language BCP 47
 */
function netflix(name: string, language: string, audience: Audience): Profile {
  const tag = baseOf(language);
  const perSecond = SPEEDS[audience][tag] ?? OTHER_SPEED[audience];
  const isSdh = audience === 'sdh' || audience === 'sdh-children';
  const maxLineChars = tag === 'ja' && isSdh ? JAPANESE_SDH : (LINE_CHARS[tag] ?? 42);
  const guide = LANGUAGES[tag] ?? ALL_LANGUAGES;
  const dialogue = dialogueStyleOf(language);
  const space = dialogue.dash === '-' ? 'without' : 'followed by';
  const rule = (sentence: string, source: string) => ({ sentence, source });
  const rules: Required<Profile['rules']> = {
    line_length: rule(
      `A line has at most ${maxLineChars} characters${
        FULL_WIDTH.has(tag) ? '; Latin letters, spaces and punctuation count as half' : ''
      }.`,
      guide,
    ),
    line_count: rule('A subtitle has at most two lines.', GENERAL),
    reading_speed: rule(
      `Programmes for ${AUDIENCES[audience]} read at up to ${perSecond} characters a second.`,
      guide,
    ),
    min_duration: rule('A subtitle lasts at least 5/6 of a second.', GENERAL),
    max_duration: rule('A subtitle lasts at most 7 seconds.', GENERAL),
    gap: rule('The gap between subtitles is at least 2 frames, whatever the frame rate.', GENERAL),
    small_gap: rule('Gaps from 3 frames up to half a second are closed to 2 frames.', TIMING),
    on_frames: rule('Subtitles begin and end on frames.', TIMING),
    shot_in: rule(
      'A subtitle that would begin within half a second of a shot change begins on its first frame, or half a second before it.',
      TIMING,
    ),
    shot_out: rule(
      'A subtitle that would end within half a second of a shot change ends 2 frames before it, or half a second after it.',
      TIMING,
    ),
    two_speakers: rule(
      `Two speakers in one subtitle have a line each, ${
        dialogue.lines === 'second' ? 'the second' : 'both'
      } with a hyphen ${space} a space.`,
      guide,
    ),
  };
  return {
    name,
    title: `Netflix, for ${AUDIENCES[audience]}`,
    language,
    maxLines: 2,
    maxLineChars,
    narrow: FULL_WIDTH.has(tag) ? 0.5 : 1,
    speed: { unit: 'characters', perSecond },
    minDuration: 5 / 6,
    maxDuration: 7,
    gapFrames: 2,
    closedGap: 0.5,
    linger: 0.5,
    leadFrames: 3,
    lateFrames: 3,
    frameRate: 24,
    shots: { before: 2 },
    dialogue,
    rules,
  };
}

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
    ...WITHOUT_FRAMES,
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
