/** The routes for comments on a review, for keys and for links: read, write, settle, delete, as a table. */
import { Elysia } from 'elysia';
import { csvRow } from '../../captions/files/csv.ts';
import { formatTimestamp } from '../../captions/timestamps.ts';
import {
  ReviewComment,
  ReviewCommentInput,
  ReviewCommentList,
  ReviewCommentPatch,
} from '../../contract/sharing.ts';
import { createReviewComments } from '../../reviews/review-comments.ts';
import type { Runs } from '../../runs/service.ts';
import type { Database } from '../../storage/database.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, headerRef, response, text } from '../openapi/responses.ts';
import { entityTag } from '../preconditions.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { Problem } from '../problems.ts';
import { findSummary, unknownRun } from '../runs/run-representation.ts';
import { streamed } from '../streamed.ts';
import { LINK } from '../../contract/limits.ts';
import { wireAnswer, wireInput } from '../wire.ts';

/** A comment of 2,000 characters, each of which may be escaped. */
const MAX_BODY_BYTES = 32 * 1024;

interface ReviewCommentServices {
  guard: Guard;
  runs: Runs;
  database: Database;
}

/** The routes of comments. */
export function reviewCommentRoutes({ guard, runs, database }: ReviewCommentServices) {
  const comments = createReviewComments(database);
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const key = 'captioner:caption:run' as const;
  const path = '/workflows/captioner/:runId/comments';
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      path,
      async ({ request: { headers }, params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        // The tag comes first: comments that are added meanwhile change it, and are read again.
        const tag = entityTag(await comments.tag(id));
        if (matchesEntityTag(headers.get('if-none-match'), tag)) {
          return new Response(null, { status: 304, headers: { etag: tag } });
        }
        const list = streamed({ type: 'application/json; charset=utf-8' }, async ({ write }) => {
          let before = '{"comments":[';
          for await (const page of comments.pages(id)) {
            await write(before + JSON.stringify(page).slice(1, -1));
            before = ',';
          }
          await write(before === ',' ? ']}' : `${before}]}`);
        });
        list.headers.set('etag', tag);
        return list;
      },
      {
        scope: { key, link: 'view' },
        response: { 200: wireAnswer(ReviewCommentList) },
        detail: detail({
          operationId: 'listReviewComments',
          summary: 'List the comments on the review of a run',
          description: 'Ask every few seconds with `If-None-Match` to follow them.',
          tags: ['Captioning'],
          responses: {
            200: {
              ...answer('The comments, oldest first.', { comments: [example] }),
              headers: etag,
            },
            304: response('Unchanged'),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .get(
      '/workflows/captioner/:runId/comments.csv',
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const table = streamed({ type: 'text/csv; charset=utf-8' }, async ({ write }) => {
          await write(csvRow(['time', 'name', 'comment', 'settled', 'written', 'id', 'answers']));
          for await (const page of comments.pages(run.id)) await write(page.map(rowOf).join(''));
        });
        table.headers.set('content-disposition', 'attachment; filename="comments.csv"');
        return table;
      },
      {
        scope: { key, link: 'view' },
        detail: detail({
          operationId: 'exportReviewComments',
          summary: 'Get the comments on the review of a run as a table',
          description: 'CSV with a header row; a reply names the comment that it answers.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'One row for each comment, RFC 4180.', content: text('text/csv') },
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .post(
      path,
      async ({ params, body, sender }) => {
        if ((body.at === undefined) === (body.parentId === undefined)) {
          const message = 'is required, or parentId, and not both';
          throw Problem.invalidPayload('The comment is invalid.', [{ path: 'at', message }]);
        }
        const run = await findSummary(runs, sender.organizationId, params.runId);
        storesDocument();
        const added = await comments.add(run, sender.link?.id ?? null, body);
        if (added === 'no-run') throw unknownRun();
        if (added === 'no-parent') throw unknownComment();
        if (added === 'too-many') throw new Problem(409, 'too_many_comments', TOO_MANY);
        return Response.json(added, { status: 201 });
      },
      {
        scope: { key, link: 'comment' },
        json,
        body: wireInput(ReviewCommentInput),
        response: { 201: wireAnswer(ReviewComment) },
        detail: detail({
          operationId: 'addReviewComment',
          summary: 'Comment on the review of a run',
          description:
            'At a time in the recording, with `at`; or as a reply to such a comment, with `parentId`. Webhooks receive `review.comment.created`.',
          tags: ['Captioning'],
          requestBody: bodyExample({ name: 'Quill', at: 723, text: 'it is Quilter' }),
          responses: {
            201: answer('The comment.', example),
            404: failing('There is no such run or comment.', 'comment_not_found', NO_COMMENT),
            409: failing('The run has too many comments.', 'too_many_comments', TOO_MANY),
          },
        }),
      },
    )
    .patch(
      `${path}/:commentId`,
      async ({ params, body: { settled }, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const changed = await comments.settle(run.id, params.commentId, settled);
        if (!changed) throw unknownComment();
        return Response.json(changed);
      },
      {
        scope: { key, link: 'comment' },
        json,
        body: wireInput(ReviewCommentPatch),
        response: { 200: wireAnswer(ReviewComment) },
        detail: detail({
          operationId: 'settleReviewComment',
          summary: 'Resolve a comment, or reopen it',
          description: 'Its replies are resolved with it; a reply cannot be resolved alone.',
          tags: ['Captioning'],
          requestBody: bodyExample({ settled: true }),
          responses: {
            200: answer('The comment.', { ...example, settled: true }),
            404: failing('There is no such run or comment.', 'comment_not_found', NO_COMMENT),
          },
        }),
      },
    )
    .delete(
      `${path}/:commentId`,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        if (!(await comments.delete(run.id, params.commentId))) throw unknownComment();
        return new Response(null, { status: 204 });
      },
      {
        scope: key,
        detail: detail({
          operationId: 'deleteReviewComment',
          summary: 'Delete a comment with its replies',
          description: 'Needs an API key: a link cannot delete.',
          tags: ['Captioning'],
          responses: {
            204: { description: 'The comment is deleted.' },
            404: failing('There is no such run or comment.', 'comment_not_found', NO_COMMENT),
          },
        }),
      },
    );
}

const rowOf = ({ id, parentId, at, name, text: says, settled, createdAt }: ReviewComment): string =>
  csvRow([
    formatTimestamp(at, '.'),
    name,
    says,
    settled ? 'yes' : 'no',
    createdAt,
    id,
    parentId ?? '',
  ]);

const NO_COMMENT = 'There is no such comment, or it is an answer itself.';
const TOO_MANY = `A run has at most ${LINK.maxComments} comments. Delete some first.`;

const unknownComment = (): Problem => new Problem(404, 'comment_not_found', NO_COMMENT);

const etag = { ETag: headerRef('ETag') };
const example: ReviewComment = {
  id: 'cmt_5f0f6d0e-6f55-4f43-8f4e-7a8d3a0e9b21',
  parentId: null,
  linkId: 'lnk_0b54c4a4-7f55-4b0c-9d0f-3f2f8f6a0c11',
  name: 'Quill',
  at: 723,
  text: 'it is Quilter',
  settled: false,
  createdAt: '2026-11-21T18:00:00.000Z',
};
