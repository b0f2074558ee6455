/** Preconditions of writes: If-Match and If-None-Match (RFC 9110, 13.1). */
import type { Expected } from '../reviews/review-store.ts';
import { Problem } from './problems.ts';
import { MAX_CHARS } from '../contract/limits.ts';

/** A tag in the format of an ETag header. */
export const entityTag = (tag: string): string => `"${tag}"`;

const issue = (path: string, message: string): Problem =>
  Problem.invalidPayload(`The header ${path} ${message}.`, [{ path, message }]);

/**
 * The client's expectation of the stored version; null if the request has none. Weak tags never match here, because the
 * comparison is strong.
 * @throws {Problem} 422 for a header without a tag, or for both headers
 */
export function preconditionOf(headers: Headers): Expected | null {
  const match = headers.get('if-match');
  const none = headers.get('if-none-match');
  if (match !== null && none !== null)
    throw issue('If-None-Match', 'cannot be combined with If-Match');
  if (none !== null) {
    if (none.trim() === '*') return 'none';
    throw issue('If-None-Match', 'can only be * in a write');
  }
  if (match === null) return null;
  if (match.trim() === '*') return 'any';
  const tags = match.length > MAX_CHARS.negotiatedHeader ? null : match.match(/(?:W\/)?"[^"]*"/g);
  if (!tags) throw issue('If-Match', 'must be an ETag, with its quotes, or *');
  return tags.flatMap((tag) => (tag.startsWith('W/') ? [] : tag.slice(1, -1)));
}

/** The problem if the stored version is not the one that the client has seen; `tag` names it. */
export const preconditionFailed = (message: string, tag: string | null): Problem =>
  new Problem(412, 'precondition_failed', message, {
    headers: tag === null ? {} : { etag: entityTag(tag) },
  });

/** The problem of a write that does not name the version that the client has seen (RFC 6585, 3). */
export const preconditionRequired = (tag: string): Problem =>
  new Problem(
    428,
    'precondition_required',
    'This already exists. Read it, then write with If-Match and its ETag, so that nobody’s work is lost.',
    { headers: { etag: entityTag(tag) } },
  );

/** A precondition for OpenAPI. */
export const preconditionHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  example,
});

/** If-Match for OpenAPI. */
export const ifMatchHeader = preconditionHeader(
  'If-Match',
  'The ETag of the version you have seen, so that a newer one is not overwritten.',
  '"5Vb3pK0sZ2mYyGZr8GQ3bSxEwqk"',
);
