/** The reviews of runs: one a run, replaced as a whole by whoever has seen the one before. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ReviewDocument } from '../contract/review.ts';
import type { Database } from '../storage/database.ts';

/** A review as it is kept. */
export interface StoredReview {
  /** Names this very document; two that are alike have the same tag. */
  tag: string;
  /** Epoch milliseconds. */
  savedAt: number;
  document: ReviewDocument;
}

/** What a caller takes for granted of the review that is there: none, any, or one of these tags. */
export type Expected = 'none' | 'any' | readonly string[];

/** How a save ended. `stale`: another review is there than was expected, of this tag (null: none). */
export type Saved =
  | { outcome: 'saved'; created: boolean; review: StoredReview }
  | { outcome: 'stale'; tag: string | null }
  | { outcome: 'no-run' };

export interface ReviewStore {
  /** The review of a run, whoever's it is; null where there is none. */
  get(runId: string): Promise<StoredReview | null>;
  /**
   * Keeps a review in place of the one that was expected. What is there already is saved, whatever was
   * expected: whoever lost the answer to a save may send it again.
   */
  save(
    run: { id: string; organizationId: string },
    document: ReviewDocument,
    expected: Expected,
  ): Promise<Saved>;
  /** Forgets a review; false where another one is there than was expected. */
  forget(runId: string, expected: Expected): Promise<boolean>;
}

/** Whether what is there is what was expected. */
const fits = (tag: string | null, expected: Expected): boolean => {
  if (expected === 'none') return tag === null;
  return tag !== null && (expected === 'any' || expected.includes(tag));
};

const tagOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 27);

/** The store on the service's database. */
export function createReviewStore(database: Database, now: () => number = Date.now): ReviewStore {
  return {
    async get(runId) {
      const row = await database
        .selectFrom('reviews')
        .select(['tag', 'saved_at', 'document'])
        .where('run_id', '=', runId)
        .executeTakeFirst();
      return row
        ? { tag: row.tag, savedAt: row.saved_at, document: JSON.parse(row.document) }
        : null;
    },
    async save(run, document, expected) {
      const text = JSON.stringify(document);
      const tag = tagOf(text);
      const savedAt = now();
      const kept = { tag, document: text, bytes: Buffer.byteLength(text), saved_at: savedAt };
      return database
        .transaction()
        .execute(async (transaction): Promise<Saved> => {
          const before = await transaction
            .selectFrom('reviews')
            .select(['tag', 'bytes', 'saved_at'])
            .where('run_id', '=', run.id)
            .executeTakeFirst();
          if (before?.tag === tag) {
            const review = { tag, savedAt: before.saved_at, document };
            return { outcome: 'saved', created: false, review };
          }
          const stale = (found: string | null): Saved => ({ outcome: 'stale', tag: found });
          if (!fits(before?.tag ?? null, expected)) return stale(before?.tag ?? null);
          const { id, organizationId } = run;
          const written = before
            ? await transaction
                .updateTable('reviews')
                .set(kept)
                .where('run_id', '=', id)
                .where('tag', '=', before.tag)
                .returning('run_id')
                .executeTakeFirst()
            : await transaction
                .insertInto('reviews')
                .values({ run_id: id, organization_id: organizationId, ...kept })
                .onConflict((conflict) => conflict.doNothing())
                .returning('run_id')
                .executeTakeFirst();
          // Somebody else has saved between the look and the write.
          if (!written) {
            const found = await currentTag(transaction, id);
            if (found !== tag) return stale(found);
            return { outcome: 'saved', created: false, review: { tag, savedAt, document } };
          }
          await countBytes(transaction, id, kept.bytes - (before?.bytes ?? 0));
          return {
            outcome: 'saved',
            created: before === undefined,
            review: { tag, savedAt, document },
          };
        })
        .catch(async (error: unknown) => {
          // A review of a run that has just been deleted has nothing to belong to.
          const found = await database
            .selectFrom('runs')
            .select('id')
            .where('id', '=', run.id)
            .executeTakeFirst();
          if (!found) return { outcome: 'no-run' } as const;
          throw error;
        });
    },
    async forget(runId, expected) {
      return database.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('reviews')
          .where('run_id', '=', runId)
          .$if(Array.isArray(expected), (query) =>
            query.where('tag', 'in', [...(expected as readonly string[]), '']),
          )
          .returning('bytes')
          .executeTakeFirst();
        if (row) await countBytes(transaction, runId, -row.bytes);
        return row !== undefined || (await currentTag(transaction, runId)) === null;
      });
    },
  };
}

async function currentTag(database: Database, runId: string): Promise<string | null> {
  const row = await database
    .selectFrom('reviews')
    .select('tag')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.tag ?? null;
}

/** A review counts against RESULT_QUOTA with the run that it is of. */
async function countBytes(database: Database, runId: string, bytes: number): Promise<void> {
  await database
    .updateTable('runs')
    .set({ kept_bytes: sql<number>`kept_bytes + ${bytes}` })
    .where('id', '=', runId)
    .execute();
}
