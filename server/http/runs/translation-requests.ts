/** Shared parts of translation requests over HTTP and MCP: reads requests, finds translations, and writes their files. */
import type { Picture } from '../../captions/build.ts';
import { findBrokenRules } from '../../captions/rules/check.ts';
import { writeCaptions, type FormatId } from '../../captions/files/formats.ts';
import { captionsAsJson } from '../../captions/files/json.ts';
import { isProfileName, PROFILE_NAMES, profileOf } from '../../captions/rules/profiles/profiles.ts';
import { reviewDocument, reviewIssues } from '../../contract/review.ts';
import { validator } from '../../contract/schema.ts';
import {
  captionsTranslationInput,
  type CaptionsTranslationInput,
  translationInput,
  type TranslationInput,
  type TranslationResult,
} from '../../contract/translations.ts';
import type { RunSummary } from '../../runs/stored-run.ts';
import type { Translations } from '../../runs/translations.ts';
import {
  translationOf,
  type SentCaptions,
  type TranslationRow,
} from '../../runs/stored-translation.ts';
import { rebuiltCaptions } from '../../translation/result.ts';
import { jsonOfBody } from '../json-body.ts';
import { invalidPayload, Problem } from '../problems.ts';
import { stringOf, type StoredText, type StoredTexts } from '../stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { captionsNotReady } from './run-representation.ts';
import type { RunTexts, SharedText } from './run-texts.ts';

/** The request of a translation of a run's captions. */
export const OfRunInput = translationInput(PROFILE_NAMES);
/** The request of a translation of the captions in it. */
export const OfCaptionsInput = captionsTranslationInput(PROFILE_NAMES);

/** A request with its captions, ready to be stored. */
interface PreparedTranslation {
  request: TranslationInput;
  /** JSON of SentCaptions. */
  source: string;
}

/** Validates a request with captions. @throws {Problem} 422 with every error */
export function checkCaptionsToTranslate(value: unknown): PreparedTranslation {
  const refuse = (issues: Parameters<typeof invalidPayload>[1]) =>
    invalidPayload('The payload is invalid.', issues);
  const schema = validator(OfCaptionsInput);
  if (!schema.check(value)) throw refuse(schema.issues(value));
  const { cues, sourceLanguage, topic, terms, ...request }: CaptionsTranslationInput = value;
  const issues = reviewIssues({ cues });
  if (issues.length > 0) throw refuse(issues);
  if (sourceLanguage !== undefined && isSameLanguage(sourceLanguage, request.language)) {
    throw refuse([{ path: 'language', message: 'is the language of the captions' }]);
  }
  const sent: SentCaptions = {
    language: sourceLanguage ?? null,
    captions: reviewDocument({ cues }).cues.map(({ speaker, ...cue }) => ({
      ...cue,
      ...(speaker === undefined ? {} : { speakers: speaker.split('\n') }),
    })),
    ...(topic === undefined ? {} : { topic }),
    ...(terms && { terms }),
  };
  return { request, source: JSON.stringify(sent) };
}

/** Reads the body of such a request. A task. @throws {Problem} 400 for anything but JSON, 422 with every error */
export const readCaptionsToTranslate = (body: Uint8Array): PreparedTranslation =>
  checkCaptionsToTranslate(jsonOfBody(body));

const isSameLanguage = (a: string, b: string): boolean =>
  a.toLowerCase().split('-')[0] === b.toLowerCase().split('-')[0];

/**
 * Queues a translation of a run's captions.
 * @throws {Problem} 409 for a run without captions
 */
export async function translateRun(
  translations: Translations,
  run: RunSummary,
  request: TranslationInput,
): Promise<TranslationRow> {
  if (run.state !== 'completed') throw captionsNotReady(run);
  const { organizationId, id: runId } = run;
  return translations.submit({ organizationId, runId, request, source: null });
}

/** A translation of a workspace. @throws {Problem} 404 if there is none */
export async function findTranslation(
  translations: Translations,
  organizationId: string,
  runId: string | null,
  id: string,
): Promise<TranslationRow> {
  const found = await translations.get(organizationId, runId, id);
  if (!found) {
    throw new Problem(404, 'translation_not_found', 'There is no translation with this id.');
  }
  return found;
}

/** The problem for a run without a translation into a language. */
export const translationNotFound = (language: string): Problem =>
  new Problem(
    404,
    'translation_not_found',
    `There is no completed translation of this run into ${language.slice(0, 40)}.`,
  );

/** What answers about translations are made from. */
interface TranslationSources {
  texts: RunTexts;
  stored: Pick<StoredTexts, 'translation'>;
  pool: WorkPool;
}

/** Holds the result of a completed translation as JSON. */
export const holdTranslation = (
  { texts, stored }: TranslationSources,
  { id, organizationId }: TranslationRow,
): Promise<SharedText> =>
  texts.hold({ id, organizationId }, 'translation', async () => resultOf(stored, id));

async function resultOf(stored: TranslationSources['stored'], id: string): Promise<StoredText> {
  const text = await stored.translation(id);
  if (text === null) throw new Error(`the translation ${id} has ended without a result`);
  return text;
}

/** The rules that translated captions follow, if not those of the translation. */
interface TranslatedQuery {
  profile?: string;
  frameRate?: string;
  /** The times of shot changes, in seconds, separated by commas. */
  shots?: string;
}

/** A file of translated captions to write: all that its task needs. */
interface TranslatedOrder {
  format: FormatId;
  /** The result of the translation, as JSON. */
  result: StoredText;
  language: string;
  /** The profile of the translation, which another one in the query replaces. */
  profile: string;
  query: TranslatedQuery;
}

/** Writes a file of translated captions. A task. */
export async function writtenTranslation(order: TranslatedOrder): Promise<Uint8Array> {
  const { format, language, query } = order;
  const result: TranslationResult = JSON.parse(stringOf(order.result));
  const name = query.profile ?? order.profile;
  const profile = profileOf(isProfileName(name) ? name : 'default', language);
  // As for captions that are not translated, a picture needs a profile.
  const { frameRate, shots } = query.profile === undefined ? {} : query;
  const rate = frameRate === undefined ? {} : { frameRate: Number(frameRate) };
  const picture: Picture = { ...rate, ...(shots && { shots: shots.split(',').map(Number) }) };
  const captions = rebuiltCaptions(result, profile, picture).map(
    ({ firstSentence: _first, lastSentence: _last, ...caption }) => caption,
  );
  const text =
    format === 'json'
      ? JSON.stringify({
          ...captionsAsJson(captions),
          warnings: findBrokenRules(captions, profile, picture)
            .slice(0, MAX_WARNINGS)
            .map(({ at, rule, says, sentence, source }) => ({
              cue: at + 1,
              rule,
              message: `Cue ${at + 1} ${says}.`,
              sentence,
              source,
            })),
        })
      : await writeCaptions(format, captions, { language, ...rate });
  return new TextEncoder().encode(text);
}

/** The most warnings about the captions of one translation. */
const MAX_WARNINGS = 5000;

/**
 * Holds the captions of a translation in a format.
 * @param query the rules that they follow, if not those of the translation
 * @throws {Problem} 409 for a translation that is not completed
 */
export async function holdTranslatedCaptions(
  sources: TranslationSources,
  translation: TranslationRow,
  format: FormatId,
  query: TranslatedQuery,
): Promise<SharedText> {
  const { id, organizationId, request, state } = translation;
  if (state !== 'completed') {
    throw new Problem(
      409,
      'captions_not_ready',
      `The translation is ${state}: it has no captions.`,
      {
        headers: retryAfter(translation) ?? {},
      },
    );
  }
  const kind = JSON.stringify(['translated', format, query]);
  return sources.texts.hold({ id, organizationId }, kind, async () => {
    const order: TranslatedOrder = {
      format,
      result: await resultOf(sources.stored, id),
      language: request.language,
      profile: request.profile ?? 'default',
      query,
    };
    return sources.pool.do(writtenTranslation, order, { workspace: organizationId });
  });
}

/** Retry-After while a translation is in progress, in seconds. */
export const retryAfter = ({ finishedAt }: Pick<TranslationRow, 'finishedAt'>) =>
  finishedAt === null ? { 'retry-after': '3' } : undefined;

/** The translations of a run or of captions that were sent, for their owner. */
export const translationList = async (
  translations: Translations,
  organizationId: string,
  runId: string | null,
) => ({
  translations: (await translations.list(organizationId, runId)).map(translationOf),
});
