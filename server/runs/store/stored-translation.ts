/** The stored form of a translation, and the form in which its owner sees it. */
import type { Caption } from '../../captions/cue.ts';
import type { CaptionerWorkflowError } from '../../contract/failure.ts';
import type {
  CaptionsTranslationInput,
  Translation,
  TranslationCounts,
  TranslationInput,
  TranslationState,
} from '../../contract/translations.ts';

/**
 * Whether an id in the queue is that of a translation.
 * @example
 * isTranslationId('run_1'); // => false
 */
export const isTranslationId = (id: string): boolean => id.startsWith('translation_');

/** The captions of a translation that were sent with its request, and what is known about them. */
export interface SentCaptions extends Pick<CaptionsTranslationInput, 'topic' | 'terms'> {
  language: string | null;
  captions: Caption[];
}

/** What is known about a translation once it has begun. */
export interface TranslationOutcome {
  provider?: string;
  model?: string;
  sourceLanguage?: string | null;
  counts?: TranslationCounts;
  error?: CaptionerWorkflowError;
}

/** A translation without its captions and its result. Times in epoch milliseconds. */
export interface TranslationRow {
  id: string;
  organizationId: string;
  runId: string | null;
  request: TranslationInput;
  state: TranslationState;
  progress: number;
  basis: 'original' | 'reviewed' | 'sent' | null;
  reviewChanged: boolean;
  outcome: TranslationOutcome;
  /** The version of what people have changed; null if nothing. */
  edits: { tag: string; savedAt: number } | null;
  cancelRequested: boolean;
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

/**
 * The path of a translation.
 * @example
 * pathOf({ id: 'translation_1', runId: null }); // => '/translations/translation_1'
 */
export const pathOf = ({ id, runId }: Pick<TranslationRow, 'id' | 'runId'>): string =>
  runId === null ? `/translations/${id}` : `/workflows/captioner/${runId}/translations/${id}`;

/** A translation for its owner, without its result. */
export function translationOf(row: TranslationRow): Translation {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const { request, outcome } = row;
  return {
    id: row.id,
    ...(row.runId === null ? {} : { runId: row.runId }),
    language: request.language,
    sourceLanguage: outcome.sourceLanguage ?? null,
    provider: outcome.provider ?? request.provider ?? null,
    model: outcome.model ?? request.model ?? null,
    profile: request.profile ?? 'default',
    formality: request.formality ?? null,
    state: row.state,
    progress: row.progress,
    basis: row.basis,
    reviewChanged: row.reviewChanged,
    createdAt: new Date(row.createdAt).toISOString(),
    startedAt: time(row.startedAt),
    finishedAt: time(row.finishedAt),
    ...(row.edits && { editedAt: new Date(row.edits.savedAt).toISOString() }),
    ...(outcome.counts && { counts: outcome.counts }),
    ...(outcome.error && { error: outcome.error }),
  };
}
