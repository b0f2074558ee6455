/**
 * The texts for errors of the service and of runs, by their code. Codes and messages are English on the wire; English
 * shows the messages as they are, which say more.
 */
import type { FailureCode } from '../../server/contract/failure.ts';
import { inLanguage } from './language.ts';

/** The codes that other languages have a text for. */
export type ProblemCode =
  | Exclude<FailureCode, 'cancelled'>
  | 'answer_too_large'
  | 'captions_not_ready'
  | 'comment_not_found'
  | 'idempotency_conflict'
  | 'incomplete_upload'
  | 'insufficient_right'
  | 'insufficient_scope'
  | 'invalid_credential'
  | 'invalid_payload'
  | 'key_not_found'
  | 'link_not_found'
  | 'measurement_not_found'
  | 'missing_credential'
  | 'not_found'
  | 'payload_too_large'
  | 'precondition_failed'
  | 'precondition_required'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'review_not_found'
  | 'rule_not_applicable'
  | 'rule_not_found'
  | 'run_not_ended'
  | 'run_not_found'
  | 'runs_in_progress'
  | 'sound_not_found'
  | 'term_not_found'
  | 'too_many_comments'
  | 'too_many_links'
  | 'too_many_measurements'
  | 'translation_not_ended'
  | 'translation_not_found'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'upload_busy'
  | 'upload_expired'
  | 'upload_not_found'
  | 'upload_too_large'
  | 'upload_too_slow'
  | 'video_required';

/** The texts of a language. */
export interface Problems {
  readonly byCode: Readonly<Partial<Record<ProblemCode, string>>>;
  /** Another error, with the service's own message, which is English. */
  readonly other: (message: string) => string;
}

/** The texts. */
export const problems = inLanguage<Problems>('problems', {
  byCode: {},
  other: (message) => message,
});

/** What is said of an error, in the language of the texts. */
export const problemText = (error: { readonly code: string; readonly message: string }): string =>
  problems.byCode[error.code as ProblemCode] ?? problems.other(error.message);
