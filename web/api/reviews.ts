/** The review of a run over HTTP: read, and saved over the version that was seen. */
import type { Review, ReviewInput } from '../../server/contract/review.ts';
import { ApiProblem, NoAnswer } from './problem.ts';
import { ask } from './request.ts';

/** A review with the tag of its version. */
export interface TaggedReview {
  review: Review;
  tag: string;
}

const pathOf = (runId: string): string =>
  `/workflows/captioner/${encodeURIComponent(runId)}/review`;

/** A proxy that compresses makes a tag weak; the service knows the strong one. */
const tagOf = (headers: Headers): string => (headers.get('etag') ?? '').replace(/^W\//, '');

/**
 * The review of a run; `same` where it is still the one with this tag, null where there is none.
 * @throws {ApiProblem} also where there is no such run
 */
export async function readReview(
  key: string,
  runId: string,
  tag: string | null,
  signal: AbortSignal,
): Promise<TaggedReview | 'same' | null> {
  const headers = tag === null ? {} : { 'if-none-match': tag };
  try {
    const response = await ask(pathOf(runId), { key, headers, signal });
    const review = await response.json().catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new NoAnswer('', { cause });
    });
    return { review, tag: tagOf(response.headers) };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === 304) return 'same';
    if (error.status === 404 && error.code === 'review_not_found') return null;
    throw error;
  }
}

/**
 * Saves a review over the version with a tag; null: over none.
 * @returns the tag of what is saved
 * @throws {ApiProblem} 412 where another version is there
 */
export async function writeReview(
  key: string,
  runId: string,
  review: ReviewInput,
  tag: string | null,
  options: { signal?: AbortSignal; keepalive?: boolean } = {},
): Promise<string> {
  const headers = tag === null ? { 'if-none-match': '*' } : { 'if-match': tag };
  const response = await ask(pathOf(runId), {
    method: 'PUT',
    key,
    headers,
    body: review,
    ...options,
  });
  return tagOf(response.headers);
}
