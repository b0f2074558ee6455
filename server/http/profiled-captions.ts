/** Makes the captions of a run by the rules of a profile. */
import { buildProfiled, type Picture } from '../captions/build.ts';
import { findBrokenRules, fixCaptions } from '../captions/rules/check.ts';
import { captionWordsOf } from '../captions/divide/fix-word-times.ts';
import { FRAME_RATES } from '../captions/frames.ts';
import { houseRules, type HouseProfile } from '../captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf, withSettings } from '../captions/rules/profiles/profiles.ts';
import { closed, enumeration, Type, type Static } from '../contract/schema.ts';
import type { CaptionerPayload } from '../contract/payload.ts';
import { isAuto } from '../speech/host/spoken-languages.ts';
import { CAPTION_VERSIONS, languageOf, type CaptionsMaker } from './run-representation.ts';

/** The longest list of shot changes in a query, in characters. */
export const MAX_SHOTS = 12_000;
/** Matches a list of shot changes. */
export const SHOTS = '^\\d{1,6}(\\.\\d{1,6})?(,\\d{1,6}(\\.\\d{1,6})?)*$';

/** The query parameters for the captions of a run. */
export const CaptionsQuery = closed({
  version: Type.Optional(
    enumeration(CAPTION_VERSIONS, {
      description: '`original`: as made by the service; `reviewed`: only those of a review.',
    }),
  ),
  profile: Type.Optional(
    enumeration(PROFILE_NAMES, {
      description:
        'The publisher whose rules the captions follow: lines, reading speed, times. Settings in the payload override them. Reviewed captions keep their words and cues; only safe fixes are made. As JSON, the captions come with a warning for each rule that they have to break because of the speech.',
    }),
  ),
  frameRate: Type.Optional(
    enumeration(FRAME_RATES, {
      description:
        'The frame rate of the video; captions then begin and end on frames. Needs a profile.',
    }),
  ),
  shots: Type.Optional(
    Type.String({
      pattern: SHOTS,
      maxLength: MAX_SHOTS,
      description: 'The times of shot changes, in seconds, separated by commas. Needs a profile.',
    }),
  ),
});
export type CaptionsQuery = Static<typeof CaptionsQuery>;

/**
 * Creates the function that makes captions by the profile that a query names, or by a custom one; undefined if there is
 * neither. Without a review they are rebuilt from the words; reviewed captions keep their words and cues. The rules are
 * those for the requested language or, if none was requested, for the detected one.
 */
export function captionsMaker(
  {
    language: asked = 'auto',
    captions: settings = {},
  }: Pick<CaptionerPayload, 'language' | 'captions'>,
  { profile: name, frameRate, shots }: CaptionsQuery,
  house?: HouseProfile,
): CaptionsMaker | undefined {
  const rules = house ?? name;
  if (rules === undefined) return undefined;
  const rate = frameRate === undefined ? {} : { frameRate: Number(frameRate) };
  const picture: Picture = {
    ...rate,
    ...(shots === undefined ? {} : { shots: shots.split(',').map(Number) }),
  };
  return {
    key: JSON.stringify([rules, frameRate, shots]),
    make: (result, reviewed) => {
      const language = isAuto(asked) ? languageOf(result) : asked;
      const profile = withSettings(
        typeof rules === 'string' ? profileOf(rules, language) : houseRules(rules, language),
        settings,
      );
      const cues = reviewed
        ? fixCaptions(reviewed, profile, picture)
        : buildProfiled(captionWordsOf(result.transcript.words), profile, picture);
      const warnings = () =>
        findBrokenRules(cues, profile, picture).map(({ at, rule, says, sentence, source }) => {
          const cue = at + 1;
          return { cue, rule, message: `Cue ${cue} ${says}.`, sentence, source };
        });
      return { cues, options: { language, ...rate }, warnings };
    },
  };
}
