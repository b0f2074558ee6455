/** Comments on the review of a run: each at a time of the recording, or an answer to one of those. */
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ReviewComment, ReviewCommentInput } from '../contract/sharing.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { queueEvent } from '../webhooks/webhook-store.ts';
import type { ReviewedRun } from './review-store.ts';
import { LINK } from '../contract/limits.ts';
import type { Tables } from '../storage/tables.ts';
import { countKept } from '../storage/workspace-quotas.ts';

/** The comments read at a time. */
const PAGE = 100;

/** Creates the store. */
export function createReviewComments(database: Database, now: () => number = Date.now) {
  /** Changes the comments of a run, one change after the other, so that each has a later instant than the one before. */
  const change = <T>(
    runId: string,
    work: (transaction: Database, at: number, count: number) => Promise<T>,
  ): Promise<T> =>
    database.transaction().execute(async (transaction) => {
      await lockUntilCommit(transaction, `review-comments:${runId}`);
      const { count, last } = await stateOf(transaction, runId);
      return work(transaction, Math.max(now(), last + 1), count);
    });
  return {
    /**
     * Adds a comment, and notifies webhooks. An answer has the time of the comment that it answers.
     * @param linkId the link it came by; null for a key
     * @returns `too-many`; `no-parent` if the answered comment is not one of this run, or is an answer itself; `no-run`
     *   if the run was just erased
     */
    async add(
      run: ReviewedRun,
      linkId: string | null,
      { name, text, at = 0, parentId }: ReviewCommentInput,
    ): Promise<ReviewComment | 'too-many' | 'no-parent' | 'no-run'> {
      return change(run.id, async (transaction, createdAt, count) => {
        if (count >= LINK.maxComments) return 'too-many';
        const parent = parentId ? await commentOf(transaction, run.id, parentId) : null;
        if (parentId && parent?.parent_id !== null) return 'no-parent';
        const row = {
          id: `cmt_${randomUUID()}`,
          run_id: run.id,
          organization_id: run.organizationId,
          link_id: linkId,
          parent_id: parentId ?? null,
          name: name.trim(),
          at: parent?.at ?? Math.round(at * 1000) / 1000,
          text: text.trim(),
          settled: 0,
          created_at: createdAt,
          changed_at: createdAt,
        };
        // The run first, as its erasure does: what comes second waits, and finds no run.
        if (!(await countKept(transaction, run.id, bytesOf(row)))) return 'no-run';
        await transaction.insertInto('review_comments').values(row).execute();
        const comment = shown(row);
        await queueEvent(transaction, {
          type: 'review.comment.created',
          organizationId: run.organizationId,
          runId: run.id,
          data: { comment },
        });
        return comment;
      });
    },
    /** Settles a comment, or opens it again; null if the run has no such comment, or it is an answer. */
    settle: (runId: string, id: string, settled: boolean): Promise<ReviewComment | null> =>
      change(runId, async (transaction, at) => {
        const row = await transaction
          .updateTable('review_comments')
          .set({ settled: settled ? 1 : 0, changed_at: at })
          .where('run_id', '=', runId)
          .where('id', '=', id)
          .where('parent_id', 'is', null)
          .returningAll()
          .executeTakeFirst();
        return row ? shown(row) : null;
      }),
    /** Deletes a comment with its answers; false if the run has no such comment. */
    delete: (runId: string, id: string): Promise<boolean> =>
      change(runId, async (transaction) => {
        const gone = await transaction
          .deleteFrom('review_comments')
          .where('run_id', '=', runId)
          .where((where) => where.or([where('id', '=', id), where('parent_id', '=', id)]))
          .returning(['name', 'text'])
          .execute();
        const bytes = gone.reduce((sum, row) => sum + bytesOf(row), 0);
        if (gone.length > 0) await countKept(transaction, runId, -bytes);
        return gone.length > 0;
      }),
    /** A tag that changes with the comments of a run. */
    async tag(runId: string): Promise<string> {
      const { count, last } = await stateOf(database, runId);
      return `${count}-${last}`;
    },
    /** The comments of a run, oldest first, some at a time. */
    async *pages(runId: string): AsyncGenerator<ReviewComment[]> {
      for (let after = { created_at: 0, id: '' }; ;) {
        const { created_at: at, id } = after;
        const rows = await database
          .selectFrom('review_comments')
          .selectAll()
          .where('run_id', '=', runId)
          .where((where) =>
            where.or([
              where('created_at', '>', at),
              where.and([where('created_at', '=', at), where('id', '>', id)]),
            ]),
          )
          .orderBy('created_at')
          .orderBy('id')
          .limit(PAGE)
          .execute();
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(shown);
        if (rows.length < PAGE) return;
        after = last;
      }
    },
  };
}

type Row = Selectable<Tables['review_comments']>;

const shown = (row: Row): ReviewComment => ({
  id: row.id,
  parentId: row.parent_id,
  linkId: row.link_id,
  name: row.name,
  at: row.at,
  text: row.text,
  settled: row.settled === 1,
  createdAt: new Date(row.created_at).toISOString(),
});

const commentOf = (database: Database, runId: string, id: string) =>
  database
    .selectFrom('review_comments')
    .select(['at', 'parent_id'])
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .executeTakeFirst();

/** The number of comments, and the instant of the last change to one that is still there. */
async function stateOf(
  database: Database,
  runId: string,
): Promise<{ count: number; last: number }> {
  const { count, last } = await database
    .selectFrom('review_comments')
    .select((of) => [
      of.fn.countAll().as('count'),
      of.fn.max<number | string | null>('changed_at').as('last'),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return { count: Number(count), last: Number(last ?? 0) };
}

const bytesOf = ({ name, text }: Pick<Row, 'name' | 'text'>): number =>
  Buffer.byteLength(name) + Buffer.byteLength(text);
