/** Executes one translation in a worker, from the queue to its stored result. */
import { baseOf } from '../../captions/language-tag.ts';
import { captionWordsOf, type CaptionWord } from '../../captions/divide/fix-word-times.ts';
import type { Caption } from '../../captions/cue.ts';
import { withoutUndone } from '../../contract/evident-packs.ts';
import { StageFailure } from '../../contract/failure.ts';
import { resolvePayload } from '../../contract/payload.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import type { TranslationResult } from '../../contract/translations.ts';
import type { WorkspaceTerminology } from '../../learning/learn.ts';
import type { Log } from '../../base/log.ts';
import { StorageUnavailable } from '../../storage/outage.ts';
import {
  asFailure,
  beforeStage,
  LOCAL_RETRIES,
  logFailure,
  perform,
  RunInterrupted,
  type Steps,
} from '../../pipeline/perform.ts';
import { compileForRun } from '../../pipeline/terminology.ts';
import type { PipelineServices } from '../../pipeline/run.ts';
import type { Database } from '../../storage/database.ts';
import { type TranslationTerm, termIn } from '../../translation/terms.ts';
import { rulesOfTranslation, translatedResult } from '../../translation/result.ts';
import { sentencesOf } from '../../translation/sentences.ts';
import { type KnownTranslation, translateSentences } from '../../translation/translate.ts';
import type { Translators } from '../../translation/model-translator.ts';
import type { Computations } from './computing.ts';
import {
  beginTranslation,
  endTranslation,
  noteTranslation,
  storedResult,
} from '../translations.ts';
import {
  type SentCaptions,
  type TranslationOutcome,
  type TranslationRow,
} from '../store/stored-translation.ts';
import { engineName, findInMemory, remember, trimMemory } from '../translation-memory.ts';
import { RUN } from '../../contract/limits.ts';
import { isAuto } from '../../models/registry.ts';
import { WHOLE_PAYLOAD, WHOLE_RESULT } from '../../storage/run-texts.ts';

/** The services needed to execute translations. */
export interface TranslationParts {
  database: Database;
  pipeline: Pick<PipelineServices, 'packs'>;
  workspace: WorkspaceTerminology;
  translators: Translators;
  computations: Computations;
  log: Log;
}

/** The captions to translate, as they were when the translation began. Plain JSON. */
interface Source {
  captions: Caption[];
  words: CaptionWord[];
  language: string | null;
  topic?: string;
  terms: TranslationTerm[];
  basis: 'original' | 'reviewed' | 'sent';
  reviewTag: string | null;
}

/**
 * Executes a translation until it has ended.
 * @throws any error that prevents it from continuing here; it is taken again later
 */
export async function executeTranslation(
  parts: TranslationParts,
  id: string,
  steps: Steps,
  signal: AbortSignal,
  cancel: () => void,
): Promise<void> {
  const { database, translators, computations } = parts;
  const stored = await beginTranslation(database, id);
  if (!stored) return;
  if (stored.cancelRequested) cancel();
  const log = parts.log.with({ translationId: id, workspace: stored.organizationId });
  const { request, runId } = stored;
  const { compute, attend } = computations.of(id, stored.attempts > 0);
  const context = { steps, signal, log };
  const outcome: TranslationOutcome = {};
  let keeping = async (): Promise<void> => {};
  try {
    await beforeStage(signal);
    if (stored.attempts >= RUN.maxAttempts)
      throw new Error('the translation ended its worker too often');
    const translator = translators.choose(request);
    Object.assign(outcome, { provider: translator.provider, model: translator.model });
    const { value: source } = await perform(context, 'source', LOCAL_RETRIES, () =>
      compute('captioning', () => sourceOf(parts, stored)),
    );
    const { basis, reviewTag, language: from } = source;
    outcome.sourceLanguage = from;
    if (from !== null && baseOf(from) === baseOf(request.language)) throw sameLanguage(from);
    await noteTranslation(database, id, { basis, reviewTag, outcome });
    const profile = rulesOfTranslation(request.profile, request.language);
    const sentences = await compute('captioning', () =>
      sentencesOf(source.captions, from ?? 'und', source.words),
    );
    let written: Promise<void> = Promise.resolve();
    keeping = () => written;
    const { organizationId } = stored;
    const pair = { from, to: request.language };
    const who = engineName(translator.provider, translator.model, request.formality);
    const origin = { runId, translationId: runId === null ? id : null };
    const sources = sentences.map(({ text }) => text);
    const remembered = await findInMemory(database, organizationId, pair, who, sources);
    const earlier =
      request.anew && (await compute('captioning', () => earlierOf(database, request.anew!)));
    const known = new Map(
      sources.flatMap((source, at) => {
        if (earlier?.anew.has(source)) return [];
        const found = earlier?.kept.get(source) ?? remembered.get(source);
        return found ? [[at, found] as const] : [];
      }),
    );
    const job = {
      sentences,
      from,
      to: request.language,
      terms: source.terms,
      profile,
      known,
      ...(source.topic === undefined ? {} : { topic: source.topic }),
      ...(request.formality && { formality: request.formality }),
    };
    const translated = await translateSentences(job, translator, {
      signal,
      ...(runId === null ? {} : { runId }),
      step: async (step, work) =>
        (await perform(context, step, LOCAL_RETRIES, () => attend('captioning', work))).value,
      remember(pairs) {
        written = written
          .then(() => remember(database, organizationId, pair, who, origin, pairs))
          .catch((error: unknown) => log.warn('translation_not_remembered', { error }));
      },
      progress(fraction) {
        // A failed write does not end the translation: the next one includes this progress.
        written = written
          .then(() => noteTranslation(database, id, { progress: fraction * 0.95 }))
          .catch(() => {});
      },
    });
    await written;
    await trimMemory(database, organizationId).catch(() => {});
    const { result, counts } = await compute('captioning', () =>
      translatedResult(sentences, translated, profile, source.terms),
    );
    outcome.counts = counts;
    const state = (counts.missing ?? 0) > 0 ? 'incomplete' : 'completed';
    await endTranslation(database, id, state, outcome, JSON.stringify(result));
    log.info('translation_finished', { state, ...counts });
  } catch (error) {
    if (error instanceof RunInterrupted || error instanceof StorageUnavailable) throw error;
    // What was translated is kept for the next attempt.
    await keeping();
    const failure = asFailure(error, signal);
    logFailure(log, 'translation_failed', 'workflow', failure, error);
    const isCancelled = failure.code === 'cancelled';
    if (!isCancelled) outcome.error = { ...failure, stage: 'workflow' };
    await endTranslation(database, id, isCancelled ? 'cancelled' : 'failed', outcome, null);
    log.info('translation_finished', {
      state: isCancelled ? 'cancelled' : 'failed',
      code: failure.code,
    });
  }
}

/** An earlier translation: its sentences that are kept, and those that are translated anew, by their source. */
async function earlierOf(
  database: Database,
  { of, sentences: numbers }: NonNullable<TranslationRow['request']['anew']>,
): Promise<{ kept: Map<string, KnownTranslation>; anew: Set<string> }> {
  // One that was erased meanwhile has no sentences to keep.
  const stored = (await storedResult(database, of)) ?? '{"sentences":[]}';
  const { sentences }: Pick<TranslationResult, 'sentences'> = JSON.parse(stored);
  const anew = new Set(numbers.flatMap((number) => sentences[number - 1]?.source ?? []));
  const kept = new Map(
    sentences
      .filter(({ state }) => state !== 'missing')
      .map(({ source, text, edited, confirmed, remembered }) => {
        const isPersons = edited !== undefined || confirmed === true || remembered === 'person';
        return [source, { text, isPersons, isKept: true }] as const;
      }),
  );
  return { kept, anew };
}

const sameLanguage = (language: string): StageFailure =>
  new StageFailure({
    code: 'language_unsupported',
    message: `The captions are in ${language} already.`,
    retryable: false,
    suggestions: [{ label: 'Choose another language' }],
  });

/** The end of a translation that was requested with its run, which has no captions. */
const nothingToTranslate = (state: string): StageFailure =>
  new StageFailure({
    code: 'cancelled',
    message: `The run is ${state}: it has no captions to translate.`,
    retryable: false,
    suggestions: [],
  });

/** The captions of a translation, its terms, and what is known about them. */
async function sourceOf(
  { database, pipeline, workspace }: TranslationParts,
  { organizationId, runId, request, source }: TranslationRow & { source: string | null },
): Promise<Source> {
  if (source !== null || runId === null) {
    const { captions, language, topic, terms = [] }: SentCaptions = JSON.parse(source ?? '{}');
    const own = await workspace.ownTerms(organizationId);
    const named = terms.map(({ term, translation }) => ({
      canonical: term,
      ...(translation !== undefined && { translation }),
    }));
    return {
      captions,
      words: [],
      language,
      ...(topic === undefined ? {} : { topic }),
      terms: [...named, ...own.terms.map((term) => termIn(request.language, term))],
      basis: 'sent',
      reviewTag: null,
    };
  }
  const run = await database
    .selectFrom('runs')
    .select(['state', WHOLE_PAYLOAD, WHOLE_RESULT])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  if (run.state !== 'completed') throw nothingToTranslate(run.state);
  const review = await database
    .selectFrom('reviews')
    .select(['document', 'tag'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  const payload = resolvePayload(JSON.parse(run.whole));
  const result: CaptionerCompletedResult = JSON.parse(run.result ?? '{}');
  const document: ReviewDocument | null = review ? JSON.parse(review.document) : null;
  const own = await workspace.ownTerms(organizationId);
  const { terms } = compileForRun(
    pipeline.packs,
    payload,
    undefined,
    own,
    packsInUse(result, document),
  );
  const { language } = result.transcript.metadata;
  return {
    captions: document ? reviewedCaptions(document) : result.captions.cues,
    words: document ? [] : captionWordsOf(result.transcript.words),
    language: typeof language === 'string' && !isAuto(language) ? language : null,
    ...(payload.topic === '' ? {} : { topic: payload.topic }),
    terms: terms.map(({ category, ...term }) =>
      termIn(request.language, { ...term, kind: category }),
    ),
    basis: document ? 'reviewed' : 'original',
    reviewTag: review?.tag ?? null,
  };
}

/** The packs that the audit used because of what the talk speaks of, without those that its review does without. */
function packsInUse(
  { audit: { evidentPacks = [] } }: CaptionerCompletedResult,
  review: ReviewDocument | null,
): string[] {
  const decisions = new Map(review?.corrections.map(({ id, decision }) => [id, decision]));
  const { used } = withoutUndone(evidentPacks, (id) => decisions.get(id) === 'rejected');
  return used.map(({ id }) => id);
}

/** The captions of a review, with the names of their speakers. */
function reviewedCaptions({ cues, speakers }: ReviewDocument): Caption[] {
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  return cues.map(({ start, end, lines, speaker }) => ({
    start,
    end,
    lines,
    ...(speaker === undefined
      ? {}
      : { speakers: speaker.split('\n').map((id) => names.get(id) ?? id) }),
  }));
}
