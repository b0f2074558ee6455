/** The review of a run over HTTP: read, and saved over the version last seen. */
import type { Review, ReviewInput } from '../../server/contract/review.ts';
import { ApiProblem, ask, NoAnswer } from './request.ts';

/** A review with its entity tag. */
interface TaggedReview {
  review: Review;
  tag: string;
}

const pathOf = (runId: string): string =>
  `/workflows/captioner/${encodeURIComponent(runId)}/review`;

/** Compressing proxies weaken tags; the service only knows strong ones. */
const tagOf = (headers: Headers): string => (headers.get('etag') ?? '').replace(/^W\//, '');

/**
 * The review of a run; `same` if it still has this tag, null if there is no review.
 * @throws {ApiProblem} also if there is no such run
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
 * Saves a review over the version with a tag; a null tag requires that there is no version yet.
 * @returns the tag of the saved version
 * @throws {ApiProblem} 412 if there is another version
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
