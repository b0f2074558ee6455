/** Makes the captions of a run as a file, by the rules of a profile if one is named. */
import { buildProfiled, endingBy } from '../../captions/build/build.ts';
import { findBrokenRules, fixCaptions, type Picture } from '../../captions/rules/check.ts';
import { captionWordsOf, fixWordTimes } from '../../captions/divide/fix-word-times.ts';
import { withWordTimes } from '../../captions/divide/word-times.ts';
import type { Caption, TimedLines } from '../../captions/cue.ts';
import {
  type CaptionFormat,
  FORMAT_IDS,
  type FormatId,
  FORMATS,
} from '../../captions/files/formats.ts';
import { writeCaptionFile } from '../../captions/files/read-write.ts';
import { captionsAsJson } from '../../captions/files/json.ts';
import type { CaptionFileOptions } from '../../captions/files/portable-captions.ts';
import { type HouseProfile, houseRules } from '../../captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf, withSettings } from '../../captions/rules/profiles/profiles.ts';
import { closed, enumeration, Type, type Static } from '../../contract/schema.ts';
import { LANGUAGE_TAG } from '../../contract/translations.ts';
import type { CaptionerPayload } from '../../contract/payload.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import { namedCaptions } from '../../reviews/speakers.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import {
  CAPTION_VERSIONS,
  languageOf,
  captionsNotReady,
  reviewNotFound,
} from './run-representation.ts';
import type { RunTexts, SharedText, WriteText } from './run-texts.ts';
import type { Translations } from '../../runs/translations.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import { HERE_BYTES, type WorkPool } from '../work/pool.ts';
import { Problem } from '../problems.ts';
import { isAuto } from '../../models/registry.ts';
import { FrameFields, framesOf } from './frames-query.ts';
import { holdTranslatedCaptions, translationNotFound } from './translation-requests.ts';

/** The most warnings about the captions of one recording; more of them help nobody. */
const MAX_WARNINGS = 5000;
/** The longest list of shot changes in a query, in characters. */
export const MAX_SHOTS = 12_000;
/** Matches a list of shot changes. */
export const SHOTS = '^\\d{1,6}(\\.\\d{1,6})?(,\\d{1,6}(\\.\\d{1,6})?)*$';

/** The query parameters for the captions of a run. */
export const CaptionsQuery = closed({
  language: Type.Optional(
    Type.String({
      pattern: LANGUAGE_TAG,
      description:
        'The language of a translation, BCP 47: the latest completed one of this run. Without `profile`, by the rules of the translation. It cannot be combined with `version`.',
    }),
  ),
  version: Type.Optional(
    enumeration(CAPTION_VERSIONS, {
      description: '`original`: as the service made them; `reviewed`: only those of a review.',
    }),
  ),
  profile: Type.Optional(
    enumeration(PROFILE_NAMES, {
      description:
        'The publisher whose rules the captions follow: lines, reading speed, times. Settings in the payload override them. Reviewed captions keep their words and cues; only safe fixes are made. As JSON, the captions come with a warning for each rule that they have to break because of the speech.',
    }),
  ),
  ...FrameFields,
  karaoke: Type.Optional(
    enumeration(['true', 'false'], {
      description:
        'Whether the file has the times of its words, in formats that hold them: WebVTT, ASS and TTML. Not for translations.',
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

/** The format of a file with captions, as a path names it, for OpenAPI. */
export const FORMAT_PARAMETER = {
  name: 'format',
  in: 'path',
  required: true,
  schema: { type: 'string', enum: FORMAT_IDS },
};

/** The media type of a captions file. */
export function captionType(format: FormatId): string {
  const { type, isBinary }: CaptionFormat = FORMATS[format];
  return isBinary ? type : `${type}; charset=utf-8`;
}

/** Makes other captions from a result than the run did; see captionsMaker. */
export interface CaptionsMaker {
  /** Distinguishes the captions of different makers. */
  key: string;
  /** @param reviewed the captions of the review, if there is one */
  make: (result: CaptionerCompletedResult, reviewed?: readonly TimedLines[]) => MadeCaptions;
}

/** Captions, and the details that their file holds in addition. */
interface MadeCaptions {
  cues: readonly Caption[];
  options: CaptionFileOptions;
  /** Finds the rules of their profile that the captions break, if they have one. */
  warnings?: () => ProfileWarning[];
}

/** A rule of a profile that a caption breaks. */
interface ProfileWarning {
  /** The number of the caption, from 1. */
  cue: number;
  rule: string;
  /** The fault in one sentence: “Caption 2 is shown for 0.6 s.” */
  message: string;
  /** The rule in its publisher's words, and the page it is from. */
  sentence: string;
  source: string;
}

/** The parts of a payload that captions by a profile depend on. */
type Asked = Pick<CaptionerPayload, 'language' | 'captions'>;

/**
 * Creates the function that makes captions by the profile that a query names, or by a custom one; undefined if there is
 * neither. Without a review they are rebuilt from the words; reviewed captions keep their words and cues. The rules are
 * those for the requested language or, if none was requested, for the detected one.
 */
export function captionsMaker(
  { language: asked = 'auto', captions: settings = {} }: Asked,
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
      const cues = endingBy(
        reviewed
          ? fixCaptions(reviewed, profile, picture)
          : buildProfiled(captionWordsOf(result.transcript.words), profile, picture),
        durationOf(result),
        picture.frameRate ?? profile.frameRate ?? undefined,
      );
      const warnings = () =>
        findBrokenRules(cues, profile, picture)
          .slice(0, MAX_WARNINGS)
          .map(({ at, rule, says, sentence, source }) => {
            const cue = at + 1;
            return { cue, rule, message: `Caption ${cue} ${says}.`, sentence, source };
          });
      return { cues, options: { language, ...rate }, warnings };
    },
  };
}

/** The length of a result's recording, in seconds; infinite if it does not say. */
function durationOf({ transcript }: CaptionerCompletedResult): number {
  const { duration } = transcript.metadata;
  return typeof duration === 'number' ? duration : Number.POSITIVE_INFINITY;
}

/**
 * Refuses times of words where there are none.
 * @throws {Problem} 422
 */
function checkKaraoke(format: FormatId, { karaoke, language }: CaptionsQuery): void {
  const { keeps }: CaptionFormat = FORMATS[format];
  if (karaoke !== 'true' || (keeps.includes('words') && language === undefined)) return;
  const message =
    language === undefined
      ? `needs a format that holds the times of words, not ${FORMATS[format].name}`
      : 'cannot be combined with language: words of a translation have no times';
  throw Problem.invalidPayload(`The query parameter karaoke ${message}.`, [
    { path: 'karaoke', message },
  ]);
}

/**
 * Captions of a result with the times at which their words were heard.
 * @param cues as a review or a profile has made them
 */
export const karaokeOf = (
  { transcript }: CaptionerCompletedResult,
  cues: readonly Caption[],
): Caption[] => withWordTimes(cues, fixWordTimes(captionWordsOf(transcript.words)));

/** A file of captions to write: all that its task needs. */
interface CaptionsOrder {
  format: FormatId;
  /** How it counts its frames. */
  frames: CaptionFileOptions;
  /** The result of the run, as JSON; empty if the review is enough. */
  result: StoredText;
  /** The review, as JSON. */
  review: StoredText | null;
  /** Whether words have their times. */
  karaoke: boolean;
  /** The rules to follow; null for captions as they are. */
  rules: { asked: Asked; query: CaptionsQuery } | null;
}

/** Writes a file of captions. A task. */
export async function writtenCaptions({
  format,
  frames,
  result,
  review,
  karaoke,
  rules,
}: CaptionsOrder): Promise<Uint8Array> {
  const cues =
    review === null ? undefined : namedCaptions(JSON.parse(stringOf(review)) as ReviewDocument);
  const completed: CaptionerCompletedResult | null =
    result === '' ? null : JSON.parse(stringOf(result));
  const maker = rules ? captionsMaker(rules.asked, rules.query) : undefined;
  const made: MadeCaptions =
    maker && completed
      ? maker.make(completed, cues)
      : {
          cues: cues ?? completed?.captions.cues ?? [],
          options: completed ? { language: languageOf(completed) } : {},
        };
  const shown = karaoke && completed ? karaokeOf(completed, made.cues) : made.cues;
  return written(format, { ...made, cues: shown, options: { ...made.options, ...frames } });
}

const written = async (
  format: FormatId,
  { cues, options, warnings }: MadeCaptions,
): Promise<Uint8Array> =>
  format === 'json' && warnings
    ? new TextEncoder().encode(JSON.stringify({ ...captionsAsJson(cues), warnings: warnings() }))
    : writeCaptionFile(format, cues, options);

/** The sources of captions. */
export interface CaptionSources {
  texts: RunTexts;
  stored: Pick<StoredTexts, 'review' | 'translation'>;
  translations: Pick<Translations, 'latest'>;
  pool: WorkPool;
}

/**
 * Holds the captions of a completed run in a format: the reviewed ones if there is a review.
 * @param version `original`: those made by the service; `reviewed`: only those of a review; default: the best available
 * @param query the rules that they follow, if any
 * @throws {Problem} 409 for a run without captions, 404 if a review is requested and there is none, 503 while too many
 *   other texts are held or made, 404 if there is no translation into the language that the query names
 */
export async function holdCaptions(
  { texts, stored, translations, pool }: CaptionSources,
  run: RunSummary,
  format: FormatId,
  { version, language: translated, ...query }: CaptionsQuery,
): Promise<SharedText> {
  if (run.state !== 'completed') throw captionsNotReady(run);
  checkKaraoke(format, { ...query, ...(translated !== undefined && { language: translated }) });
  if (translated !== undefined) {
    if (version !== undefined) {
      const message = 'cannot be combined with language';
      throw Problem.invalidPayload(`The query parameter version ${message}.`, [
        { path: 'version', message },
      ]);
    }
    const translation = await translations.latest(run.id, translated);
    if (!translation) throw translationNotFound(translated);
    return holdTranslatedCaptions({ texts, stored, pool }, translation, format, query);
  }
  const review = version === 'original' ? null : await stored.review(run.id);
  if (version === 'reviewed' && !review) throw reviewNotFound();
  const { language, captions } = run.payload;
  const asked = { ...(language !== undefined && { language }), ...(captions && { captions }) };
  const rules = query.profile === undefined ? null : { asked, query };
  const frames = framesOf(query);
  const karaoke = query.karaoke === 'true';
  const name = JSON.stringify(['captions', format, review?.tag, rules?.query, frames, karaoke]);
  const { namesLanguage }: CaptionFormat = FORMATS[format];
  // The language is known only to the result.
  const needsResult = rules !== null || karaoke || !review || namesLanguage === true;
  const write: WriteText = async (read) => {
    const result = needsResult ? await read() : '';
    const made = { result, review: review?.text ?? null, karaoke, rules };
    const order: CaptionsOrder = { format, frames, ...made };
    const length = result.length + (review?.text.length ?? 0);
    // By the rules of a profile, even few captions take long.
    const size = rules ? Math.max(HERE_BYTES + 1, length) : length;
    return pool.do(writtenCaptions, order, { workspace: run.organizationId, size });
  };
  return texts.hold(run, name, write, rules !== null);
}
