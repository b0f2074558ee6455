/** Shared parts of translation requests over HTTP and MCP: reads requests, finds translations, and writes their files. */
import { baseOf } from '../../captions/language-tag.ts';
import { findBrokenRules, type Picture } from '../../captions/rules/check.ts';
import { decodeText } from '../../captions/files/encodings.ts';
import { type FormatId } from '../../captions/files/formats.ts';
import { readCaptionFile, writeCaptionFile } from '../../captions/files/read-write.ts';
import { sentCue } from '../../captions/cue.ts';
import { captionsAsJson } from '../../captions/files/json.ts';
import { type HouseProfile, houseRules } from '../../captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES } from '../../captions/rules/profiles/profiles.ts';
import { REVIEW } from '../../contract/limits.ts';
import { reviewDocument, reviewIssues } from '../../contract/review.ts';
import { closed, Type, type ValidationIssue, validator } from '../../contract/schema.ts';
import {
  captionsTranslationInput,
  hasTranslation,
  type CaptionsTranslationInput,
  type TranslationCounts,
  TranslationEdits as TranslationEditsInput,
  type TranslationEdits,
  translationInput,
  type TranslationInput,
  type TranslationResult,
} from '../../contract/translations.ts';
import type { Expected } from '../../reviews/review-store.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { PreparedEdits, Translations } from '../../runs/translations.ts';
import {
  translationOf,
  type SentCaptions,
  type TranslationRow,
} from '../../runs/store/stored-translation.ts';
import { withTranslations } from '../../learning/learn.ts';
import {
  documentText,
  type TerminologyStore,
  TooManyTerms,
  type WorkspaceDocument,
} from '../../learning/terminology-store.ts';
import { TRANSLATION_PROVIDERS } from '../../translation/engines/services.ts';
import { editedTranslation, type TermEvidence } from '../../translation/edited.ts';
import { readTmx, type ReadTmx } from '../../translation/tmx.ts';
import { captionsOfSentences, rulesOfTranslation } from '../../translation/result.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { Problem } from '../problems.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import { HERE_BYTES, type WorkPool } from '../work/pool.ts';
import { withConflicts, captionsNotReady } from './run-representation.ts';
import { type FramesQuery, framesOf } from './frames-query.ts';
import type { RunTexts, SharedText } from './run-texts.ts';
import { preconditionFailed, preconditionRequired } from '../preconditions.ts';
import type { SentFile } from '../bodies/json-bodies.ts';
import { jsonOfBody } from '../bodies/read-body.ts';

const NAMES = { profiles: PROFILE_NAMES, providers: TRANSLATION_PROVIDERS };
/** The request of a translation of a run's captions. */
export const OfRunInput = translationInput(NAMES);
/** The request of a translation of the captions in it. */
export const OfCaptionsInput = captionsTranslationInput(NAMES);
const { cues: _cues, terms: _terms, anew: _anew, language, ...rest } = OfCaptionsInput.properties;
/** What the query says about a caption file; JSON says it in the body. */
export const OfFileQuery = closed({ language: Type.Optional(language), ...rest });

/** A request with its captions, ready to be stored. */
interface PreparedTranslation {
  request: TranslationInput;
  /** JSON of SentCaptions. */
  source: string;
  /** The format of a file that was sent. */
  format?: FormatId;
}

/** Validates a request with captions. @throws {Problem} 422 with every error */
export function checkCaptionsToTranslate(value: unknown): PreparedTranslation {
  const refuse = (issues: ValidationIssue[]) =>
    Problem.invalidPayload('The payload is invalid.', issues);
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
  checkCaptionsToTranslate(jsonOfBody(body, { most: REVIEW.most }));

/** The media types of caption files; what a file contains decides, since programs and people name them differently. */
export const CAPTION_TYPES =
  /^(?:text\/[\w.+-]+|application\/(?:x-subrip|x-ebu-stl|ttml\+xml|xml|octet-stream|x-www-form-urlencoded))$/i;

/**
 * Reads a caption file of any format, whose query says how to translate it. A task.
 * @throws {Problem} 422 with every error
 */
export async function readCaptionFileToTranslate({
  bytes,
  query,
}: SentFile): Promise<PreparedTranslation> {
  const read = await readCaptionFile(bytes);
  if (!read) {
    throw Problem.invalidPayload('The payload is invalid.', [
      { path: '', message: 'must be captions, such as SRT or WebVTT' },
    ]);
  }
  const cues = read.cues.toSorted((a, b) => a.start - b.start).map(sentCue);
  return { ...checkCaptionsToTranslate({ ...query, cues }), format: read.format };
}

const isSameLanguage = (a: string, b: string): boolean => baseOf(a) === baseOf(b);

/**
 * Queues a translation of a run's captions.
 * @throws {Problem} 409 for a run without captions, or if the idempotency key was used for a different request
 */
export async function translateRun(
  translations: Translations,
  run: RunSummary,
  request: TranslationInput,
  idempotencyKey: string | null = null,
): Promise<TranslationRow> {
  if (run.state !== 'completed') throw captionsNotReady(run);
  const { organizationId, id: runId } = run;
  await checkAnew(translations, { organizationId, runId, request });
  const translation = { organizationId, runId, request, source: null, idempotencyKey };
  return withConflicts(() => translations.submit(translation));
}

/**
 * Checks the translation of which a request translates sentences anew.
 * @throws {Problem} 404 if there is none of the same captions, 409 if it has no result, 422 for a sentence that it does
 *   not have, or another language
 */
export async function checkAnew(
  translations: Translations,
  {
    organizationId,
    runId,
    request: { anew, language },
  }: Pick<TranslationRow, 'organizationId' | 'runId' | 'request'>,
): Promise<void> {
  if (!anew) return;
  const row = await findTranslation(translations, organizationId, runId, anew.of);
  const { counts } = row.outcome;
  if (!hasTranslation(row.state) || !counts) throw translationNotReady(row);
  const beyond = anew.sentences.findIndex((sentence) => sentence > counts.sentences);
  const issues = [
    ...(beyond < 0
      ? []
      : [
          {
            path: `anew.sentences.${beyond}`,
            message: `must be at most ${counts.sentences}, the number of sentences`,
          },
        ]),
    ...(language.toLowerCase() === row.request.language.toLowerCase()
      ? []
      : [{ path: 'language', message: `must be ${row.request.language}, as in \`anew.of\`` }]),
  ];
  if (issues.length > 0) throw Problem.invalidPayload('The payload is invalid.', issues);
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

/** What people have changed, as JSON, so that the thread that answers neither reads nor writes it. */
export interface SentEdits {
  text: Uint8Array<ArrayBuffer>;
}

/** Validates what people have changed. @throws {Problem} 422 with every error */
export function checkTranslationEdits(value: unknown): SentEdits {
  const schema = validator(TranslationEditsInput);
  const refuse = (issues: ValidationIssue[]) =>
    Problem.invalidPayload('The edits are invalid.', issues);
  if (!schema.check(value)) throw refuse(schema.issues(value));
  const seen = new Set<number>();
  const issues = value.sentences.flatMap(({ sentence }, at) => {
    if (!seen.has(sentence)) return (seen.add(sentence), []);
    return [{ path: `sentences.${at}.sentence`, message: 'occurs twice' }];
  });
  if (issues.length > 0) throw refuse(issues.slice(0, 50));
  const edits = { sentences: value.sentences.toSorted((a, b) => a.sentence - b.sentence) };
  return { text: new TextEncoder().encode(JSON.stringify(edits)) };
}

/** Reads the body of a save. A task. @throws {Problem} 400 for anything but JSON, 422 with every error */
export const readTranslationEdits = (body: Uint8Array): SentEdits =>
  checkTranslationEdits(jsonOfBody(body, { most: REVIEW.most }));

/** Reads a TMX document. A task. @throws {Problem} 422 if it has no units that can be used */
export async function readTranslationMemory(body: Uint8Array): Promise<ReadTmx> {
  const read = readTmx((await decodeText(body)).text);
  if (read.units.length > 0) return read;
  throw Problem.invalidPayload('The document is not TMX with translations.', [
    { path: '', message: 'has no unit with two languages' },
  ]);
}

/** A translation that people have changed: all that its task needs. */
interface EditOrder {
  /** The result as the engine gave it, as JSON. */
  original: string;
  counts: TranslationCounts;
  /** JSON of TranslationEdits. */
  edits: Uint8Array<ArrayBuffer>;
  from: string | null;
  to: string;
  profile: string | undefined;
}

/**
 * Proves a changed translation, and divides its captions again. A task.
 * @throws {Problem} 422 for a sentence that it does not have
 */
export function preparedEdits(order: EditOrder): PreparedEdits {
  const { original, counts, from, to } = order;
  const text = stringOf(order.edits);
  const edits: TranslationEdits = JSON.parse(text);
  const beyond = edits.sentences.findIndex(({ sentence }) => sentence > counts.sentences);
  if (beyond >= 0) {
    const message = `must be at most ${counts.sentences}, the number of sentences`;
    const path = `sentences.${beyond}.sentence`;
    throw Problem.invalidPayload('The edits are invalid.', [{ path, message }]);
  }
  const profile = rulesOfTranslation(order.profile, to);
  const made = editedTranslation(JSON.parse(original), counts, edits, { from, to, profile });
  return {
    edits: text,
    result: JSON.stringify(made.result),
    counts: JSON.stringify(made.counts),
    evidence: JSON.stringify(made.evidence),
    pairs: made.result.sentences.flatMap(({ source, text, edited, confirmed }) =>
      edited !== undefined || confirmed ? [{ source, text }] : [],
    ),
  };
}

/** What a save of changes needs. */
interface EditServices {
  translations: Translations;
  terminology: Pick<TerminologyStore, 'rewrite'>;
  pool: WorkPool;
}

/** What people have called terms, and the document of a workspace that may learn from it: all that its task needs. */
interface LearningOrder {
  document: string;
  language: string;
  /** The evidence of the saved version, of the one before, and of all translations into the language, as JSON. */
  saved: string;
  before: string;
  all: readonly string[];
  now: number;
}

/** Gives terms of a workspace the translations that people have given them; null if nothing changes. A task. */
export function learnedTranslations(order: LearningOrder): string | null {
  const read = (text: string): TermEvidence[] => JSON.parse(text);
  const earlier = new Set(read(order.before).map((one) => JSON.stringify(one)));
  const fresh = read(order.saved).filter((one) => !earlier.has(JSON.stringify(one)));
  const document: WorkspaceDocument = JSON.parse(order.document);
  const renamed = { language: order.language, fresh, all: order.all.flatMap(read) };
  const learned = withTranslations(document, renamed, order.now);
  return learned === document ? null : documentText(learned, document).text;
}

/**
 * Saves what people have changed in a translation, and learns what they call the terms in it.
 * @param expected the versions that the sender has seen; null if unknown, in which case only a first save is accepted
 * @returns the translation as it is then
 * @throws {Problem} 404 if it is erased, 409 if it is not completed, 412 if others have saved since, 428 if they have and
 *   the sender names no version, 422 for a sentence that it does not have
 */
export async function saveTranslationEdits(
  { translations, terminology, pool }: EditServices,
  row: TranslationRow,
  edits: SentEdits,
  expected: Expected | null,
): Promise<TranslationRow> {
  const { id, organizationId, runId, request, outcome } = row;
  const original = hasTranslation(row.state) ? await translations.original(id) : null;
  if (original === null || !outcome.counts) throw translationNotReady(row);
  const { counts } = outcome;
  const order: EditOrder = {
    original,
    counts,
    edits: edits.text,
    from: outcome.sourceLanguage ?? null,
    to: request.language,
    profile: request.profile,
  };
  const size = original.length + edits.text.byteLength;
  const load = { workspace: organizationId, size };
  const prepared = await pool.do(preparedEdits, order, load);
  storesDocument();
  const saved = await translations.saveEdits(row, prepared, expected ?? 'none');
  const now = saved && (await translations.get(organizationId, runId, id));
  if (!now)
    throw new Problem(404, 'translation_not_found', 'There is no translation with this id.');
  if (saved.outcome === 'saved') {
    const { evidence: before } = saved;
    if (prepared.evidence !== '[]' && prepared.evidence !== before) {
      const language = request.language;
      const all = await translations.evidence(organizationId, language);
      await terminology
        .rewrite(organizationId, async (document) => {
          const asked = {
            document,
            language,
            saved: prepared.evidence,
            before,
            all,
            now: Date.now(),
          };
          return pool.do(learnedTranslations, asked, {
            workspace: organizationId,
            size: document.length,
            // The changes are saved, and what they teach goes with them.
            writes: true,
          });
        })
        // The changes are saved, whether or not there is room for what they teach.
        .catch((error: unknown) => {
          if (!(error instanceof TooManyTerms)) throw error;
        });
    }
    return now;
  }
  if (expected === null && saved.tag !== null) throw preconditionRequired(saved.tag);
  throw preconditionFailed(
    saved.tag === null
      ? 'Nobody has changed this translation.'
      : 'Somebody else has changed this translation. Read it, and change it again.',
    saved.tag,
  );
}

/** The problem for a translation without captions. */
const translationNotReady = (row: TranslationRow): Problem =>
  new Problem(409, 'captions_not_ready', `The translation is ${row.state}: it has no captions.`, {
    headers: translationRetryAfter(row) ?? {},
  });

/** What answers about translations are made from. */
interface TranslationSources {
  texts: RunTexts;
  stored: Pick<StoredTexts, 'translation'>;
  pool: WorkPool;
}

/** Holds the result of a completed translation as JSON. */
export const holdTranslation = (
  { texts, stored }: TranslationSources,
  { id, organizationId, edits }: TranslationRow,
): Promise<SharedText> =>
  texts.hold({ id, organizationId }, `translation ${edits?.tag}`, async () => resultOf(stored, id));

async function resultOf(stored: TranslationSources['stored'], id: string): Promise<StoredText> {
  const text = await stored.translation(id);
  if (text === null) throw new Error(`the translation ${id} has ended without a result`);
  return text;
}

/** The rules that translated captions follow, if not those of the translation. */
interface TranslatedQuery extends FramesQuery {
  profile?: string;
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
  /** A profile of one's own, which replaces both. */
  house?: HouseProfile;
}

/** Writes a file of translated captions. A task. */
export async function writtenTranslation(order: TranslatedOrder): Promise<Uint8Array> {
  const { format, language, query } = order;
  const result: TranslationResult = JSON.parse(stringOf(order.result));
  const profile = order.house
    ? houseRules(order.house, language)
    : rulesOfTranslation(query.profile ?? order.profile, language);
  // As for captions that are not translated, a picture needs a profile.
  const { frameRate, shots } = query.profile === undefined && !order.house ? {} : query;
  const rate = frameRate === undefined ? {} : { frameRate: Number(frameRate) };
  const picture: Picture = { ...rate, ...(shots && { shots: shots.split(',').map(Number) }) };
  const texts = result.sentences.map(({ text }) => text);
  const captions = captionsOfSentences(result.sentences, texts, profile, picture).map(
    ({ firstSentence: _first, lastSentence: _last, ...caption }) => caption,
  );
  if (format !== 'json')
    return writeCaptionFile(format, captions, { language, ...framesOf(query) });
  const text = JSON.stringify({
    ...captionsAsJson(captions),
    warnings: findBrokenRules(captions, profile, picture)
      .slice(0, MAX_WARNINGS)
      .map(({ at, rule, says, sentence, source }) => ({
        cue: at + 1,
        rule,
        message: `Caption ${at + 1} ${says}.`,
        sentence,
        source,
      })),
  });
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
  const { id, organizationId, request, state, edits } = translation;
  if (!hasTranslation(state)) throw translationNotReady(translation);
  const kind = JSON.stringify(['translated', format, query, edits?.tag]);
  return sources.texts.hold({ id, organizationId }, kind, async () => {
    const result = await resultOf(sources.stored, id);
    const order: TranslatedOrder = {
      format,
      result,
      language: request.language,
      profile: request.profile ?? 'default',
      query,
    };
    // By the rules of a profile, even few captions take long.
    const load = { workspace: organizationId, size: Math.max(HERE_BYTES + 1, result.length) };
    return sources.pool.do(writtenTranslation, order, load);
  });
}

/**
 * The part of a file name that says which translation it is, and that it is not whole.
 * @example
 * translationSuffix({ request: { language: 'de' }, state: 'incomplete' }); // => 'de.incomplete'
 */
export const translationSuffix = ({
  request,
  state,
}: Pick<TranslationRow, 'request' | 'state'>): string =>
  state === 'incomplete' ? `${request.language}.incomplete` : request.language;

/** The header of a file of a translation that is not whole, or older than its original. */
export function translationHeaders({
  state,
  outcome,
  reviewChanged,
}: TranslationRow): Record<string, string> {
  const { sentences = 0, missing = 0 } = outcome.counts ?? {};
  const said = [
    ...(state === 'incomplete' ? [`incomplete; missing=${missing}; sentences=${sentences}`] : []),
    ...(reviewChanged ? ['older-than-original'] : []),
  ];
  return said.length === 0 ? {} : { 'captioner-translation': said.join(', ') };
}

/** Retry-After while a translation is in progress, in seconds. */
export const translationRetryAfter = ({ finishedAt }: Pick<TranslationRow, 'finishedAt'>) =>
  finishedAt === null ? { 'retry-after': '3' } : undefined;

/** The translations of a run or of captions that were sent, for their owner. */
export const translationList = async (
  translations: Translations,
  organizationId: string,
  runId: string | null,
) => ({
  translations: (await translations.list(organizationId, runId)).map(translationOf),
});
