/** Handing on a review over HTTP: links, and comments. */
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import type { WorkflowRun } from '../../server/contract/runs.ts';
import type {
  NewReviewLink,
  ReviewComment,
  ReviewCommentInput,
  ReviewLink,
  ReviewLinkInput,
} from '../../server/contract/sharing.ts';
import { ApiProblem, ask, askJson } from './request.ts';

const pathOf = (runId: string, part: string): string =>
  `/workflows/captioner/${encodeURIComponent(runId)}${part}`;

/** What a link opens. */
export interface Opened {
  link: ReviewLink;
  name: string | null;
  audioKey: string;
  result: CaptionerCompletedResult;
}

/** Opens a link. @throws {ApiProblem} 401 if it was revoked or has expired, or never was one */
export async function openLink(token: string, signal: AbortSignal): Promise<Opened> {
  const link = await askJson<ReviewLink>('/review-link', { key: token, signal });
  const run = await askJson<WorkflowRun>(pathOf(link.runId, ''), { key: token, signal });
  const result = run.envelope?.result;
  if (result?.status !== 'completed') throw new ApiProblem(409, 'captions_not_ready', '');
  return { link, name: run.name ?? null, audioKey: run.audioKey, result };
}

/** Makes a link; its token is only in this answer. */
export const makeLink = (
  key: string,
  runId: string,
  body: ReviewLinkInput,
): Promise<NewReviewLink> => askJson(pathOf(runId, '/links'), { method: 'POST', key, body });

/** The valid links of a run. */
export const listLinks = async (key: string, runId: string): Promise<ReviewLink[]> =>
  (await askJson<{ links: ReviewLink[] }>(pathOf(runId, '/links'), { key })).links;

/** Revokes a link; one that is gone already counts as revoked. */
export const revokeLink = (key: string, runId: string, id: string): Promise<unknown> =>
  ask(pathOf(runId, `/links/${encodeURIComponent(id)}`), { method: 'DELETE', key }).catch(
    unlessGone,
  );

/** The comments of a run with their tag; null if they still have this tag. */
export async function listComments(
  key: string,
  runId: string,
  tag: string | null,
  signal: AbortSignal,
): Promise<{ comments: ReviewComment[]; tag: string | null } | null> {
  const headers = tag === null ? {} : { 'if-none-match': tag };
  try {
    const response = await ask(pathOf(runId, '/comments'), { key, headers, signal });
    const { comments } = await response.json();
    return { comments, tag: response.headers.get('etag') };
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 304) return null;
    throw error;
  }
}

/** Adds a comment. */
export const addComment = (
  key: string,
  runId: string,
  body: ReviewCommentInput,
): Promise<unknown> => ask(pathOf(runId, '/comments'), { method: 'POST', key, body });

/** Settles a comment, or opens it again. */
export const settleComment = (
  key: string,
  runId: string,
  id: string,
  settled: boolean,
): Promise<unknown> =>
  ask(pathOf(runId, `/comments/${encodeURIComponent(id)}`), {
    method: 'PATCH',
    key,
    body: { settled },
  });

/** Deletes a comment with its answers; one that is gone already counts as deleted. */
export const deleteComment = (key: string, runId: string, id: string): Promise<unknown> =>
  ask(pathOf(runId, `/comments/${encodeURIComponent(id)}`), { method: 'DELETE', key }).catch(
    unlessGone,
  );

/** The comments as CSV. */
export const commentsCsv = async (key: string, runId: string): Promise<string> =>
  (await ask(pathOf(runId, '/comments.csv'), { key, headers: { accept: 'text/csv' } })).text();

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
}
