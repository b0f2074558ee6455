/** The versions of reviews over HTTP, and whom reviews are assigned to and whether they are approved. */
import type { Static } from '../../server/contract/schema.ts';
import type { Review } from '../../server/contract/review.ts';
import type {
  ReviewState,
  ReviewStateList,
  ReviewStatePatch,
  ReviewVersion,
} from '../../server/contract/review-versions.ts';
import { askJson } from './request.ts';
import { pageQuery, type Paging, runPath } from './runs.ts';

const versionPath = (runId: string, id: string): string =>
  runPath(runId, `/versions/${encodeURIComponent(id)}`);

/** The versions of a review, newest first. */
export const listVersions = async (key: string, runId: string): Promise<ReviewVersion[]> =>
  (await askJson<{ versions: ReviewVersion[] }>(runPath(runId, '/versions'), { key })).versions;

/** A review as it was. */
export const readVersion = (key: string, runId: string, id: string): Promise<Review> =>
  askJson(versionPath(runId, id), { key });

/** Names a version; null takes its name away. */
export const nameVersion = (
  key: string,
  runId: string,
  id: string,
  name: string | null,
): Promise<ReviewVersion> =>
  askJson(versionPath(runId, id), { method: 'PATCH', key, body: { name } });

/** How far the work on a review is. */
export const readState = (key: string, runId: string): Promise<ReviewState> =>
  askJson(runPath(runId, '/review-state'), { key });

/**
 * Changes it.
 * @param tag that of the review which is approved
 */
export const changeState = (
  key: string,
  runId: string,
  body: ReviewStatePatch,
  tag: string | null = null,
): Promise<ReviewState> =>
  askJson(runPath(runId, '/review-state'), {
    method: 'PATCH',
    key,
    body,
    ...(tag !== null && { headers: { 'if-match': tag } }),
  });

/** The same of the runs on a page of their list. */
export const listStates = (key: string, page: Paging): Promise<Static<typeof ReviewStateList>> =>
  askJson(`/workspace/review-states?${pageQuery(page)}`, { key });
