/** Handing on a review over HTTP: links, and comments. */
import type { Static } from '../../server/contract/schema.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import type { WorkflowRun } from '../../server/contract/runs.ts';
import type {
  ListedReviewLink,
  NewReviewLink,
  ReviewComment,
  ReviewCommentInput,
  ReviewLink,
  ReviewLinkInput,
} from '../../server/contract/sharing.ts';
import { ApiProblem, ask, askJson, unlessGone } from './request.ts';
import { runPath, tagOf } from './runs.ts';

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
  const run = await askJson<WorkflowRun>(runPath(link.runId), { key: token, signal });
  const result = run.envelope?.result;
  if (result?.status !== 'completed') throw new ApiProblem(409, 'captions_not_ready', '');
  return { link, name: run.name ?? null, audioKey: run.audioKey, result };
}

/** Makes a link. */
export const makeLink = (
  key: string,
  runId: string,
  body: Static<typeof ReviewLinkInput>,
): Promise<NewReviewLink> => askJson(runPath(runId, '/links'), { method: 'POST', key, body });

/** The valid links of a run. */
export const listLinks = async (key: string, runId: string): Promise<ListedReviewLink[]> =>
  (await askJson<{ links: ListedReviewLink[] }>(runPath(runId, '/links'), { key })).links;

/** Names a link; null takes its name away. */
export const renameLink = (
  key: string,
  runId: string,
  id: string,
  name: string | null,
): Promise<unknown> =>
  ask(runPath(runId, `/links/${encodeURIComponent(id)}`), {
    method: 'PATCH',
    key,
    body: { name },
  });

/** Revokes a link; one that is gone already counts as revoked. */
export const revokeLink = (key: string, runId: string, id: string): Promise<unknown> =>
  ask(runPath(runId, `/links/${encodeURIComponent(id)}`), { method: 'DELETE', key }).catch(
    unlessGone,
  );

/** The address of what the guests of a link hear. */
export const soundPath = (runId: string, linkId: string): string =>
  runPath(runId, `/links/${encodeURIComponent(linkId)}/sound`);

/** The comments of a run, on the service. */
export const commentService = {
  /** Lists them with their tag; null if they still have this tag. */
  async list(
    key: string,
    runId: string,
    tag: string | null,
    signal: AbortSignal,
  ): Promise<{ comments: ReviewComment[]; tag: string } | null> {
    const headers = tag === null ? {} : { 'if-none-match': tag };
    try {
      const response = await ask(runPath(runId, '/comments'), { key, headers, signal });
      const { comments } = await response.json();
      return { comments, tag: tagOf(response.headers) };
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 304) return null;
      throw error;
    }
  },

  add: (key: string, runId: string, body: ReviewCommentInput): Promise<unknown> =>
    ask(runPath(runId, '/comments'), { method: 'POST', key, body }),

  /** Settles a comment, or opens it again. */
  settle: (key: string, runId: string, id: string, settled: boolean): Promise<unknown> =>
    ask(runPath(runId, `/comments/${encodeURIComponent(id)}`), {
      method: 'PATCH',
      key,
      body: { settled },
    }),

  /** Deletes a comment with its answers; one that is gone already counts as deleted. */
  delete: (key: string, runId: string, id: string): Promise<unknown> =>
    ask(runPath(runId, `/comments/${encodeURIComponent(id)}`), { method: 'DELETE', key }).catch(
      unlessGone,
    ),

  csv: async (key: string, runId: string): Promise<string> =>
    (await ask(runPath(runId, '/comments.csv'), { key, headers: { accept: 'text/csv' } })).text(),
};
