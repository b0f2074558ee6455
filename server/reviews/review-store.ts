/** Stores the reviews of runs: one per run, which a client that has seen the previous version replaces as a whole. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ReviewDocument } from '../contract/review.ts';
import type { Database } from '../storage/database.ts';
import { queueEvent } from '../webhooks/webhook-store.ts';
import { captionsChanged } from '../search/due.ts';
import { releaseMedia } from '../storage/run-media.ts';
import { countKept } from '../storage/workspace-quotas.ts';
import { bytesOfVersions, keepVersion, lockReview } from './review-versions.ts';

/** The run of a review. */
export interface ReviewedRun {
  id: string;
  organizationId: string;
}

/** A stored review. */
export interface StoredReview extends SavedReview {
  /** The document as JSON; a long talk has megabytes, which the thread that answers requests must not parse. */
  text: string;
}

/** What identifies a version of a review. */
export interface SavedReview {
  /** A tag that identifies this document; equal documents have the same tag. */
  tag: string;
  /** Epoch milliseconds. */
  savedAt: number;
}

/** A review that is ready to be stored. */
export interface PreparedReview extends Pick<StoredReview, 'tag'> {
  /** The document as JSON in UTF-8, which can be handed to another thread. */
  text: Uint8Array;
  cueCount: number;
  finished: boolean;
  /** Whether what stays with the run still does once the review is finished: it is a guest who saves it. */
  keepsMedia?: boolean;
  /** The key or the link that saves it. */
  keyId?: string;
}

/** Prepares a review for its store. */
export function preparedReview(document: ReviewDocument): PreparedReview {
  const text = new TextEncoder().encode(JSON.stringify(document));
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  const { cues, finished } = document;
  return { text, tag, cueCount: cues.length, finished };
}

/** The caller's expectation of the stored review: none, any, or one with one of these tags. */
export type Expected = 'none' | 'any' | readonly string[];

/**
 * The outcome of a save. `stale` means that the stored review is not the expected one; `tag` is its tag (null if there
 * is none).
 */
export type Saved =
  | { outcome: 'saved'; created: boolean; review: SavedReview }
  | { outcome: 'stale'; tag: string | null }
  | { outcome: 'no-run' };

export type ReviewStore = ReturnType<typeof createReviewStore>;

/**
 * Whether a stored version is the expected one.
 * @param tag that of the stored version; null if there is none
 * @example
 * isExpected(null, 'none'); // => true
 */
export const isExpected = (tag: string | null, expected: Expected): boolean => {
  if (expected === 'none') return tag === null;
  return tag !== null && (expected === 'any' || expected.includes(tag));
};

/** Creates the store in the service's database. */
export function createReviewStore(database: Database, now: () => number = Date.now) {
  return {
    /** The review of any organisation's run; null if there is none. */
    async get(runId: string): Promise<StoredReview | null> {
      const row = await database
        .selectFrom('reviews')
        .select(['tag', 'saved_at', 'document'])
        .where('run_id', '=', runId)
        .executeTakeFirst();
      return row ? { tag: row.tag, savedAt: row.saved_at, text: row.document } : null;
    },
    /** Its tag alone; null if there is none. SQLite passes over the whole document to read what comes after it. */
    tagOf: (runId: string): Promise<string | null> => currentTag(database, runId),
    /**
     * Stores a review in place of the expected one. A review that is already stored counts as saved, whatever was
     * expected, so that a client that lost the response can save again.
     */
    async save(
      run: ReviewedRun,
      { tag, text, finished, keepsMedia = false, keyId = '' }: PreparedReview,
      expected: Expected,
    ): Promise<Saved> {
      const savedAt = now();
      const document = sql<string>`cast(${text} as text)`;
      const kept = { tag, document, bytes: text.byteLength, saved_at: savedAt };
      return database
        .transaction()
        .execute(async (transaction): Promise<Saved> => {
          await lockReview(transaction, run.id);
          const before = await transaction
            .selectFrom('reviews')
            .select(['tag', 'bytes', 'saved_at'])
            .where('run_id', '=', run.id)
            .executeTakeFirst();
          if (before?.tag === tag) {
            return { outcome: 'saved', created: false, review: { tag, savedAt: before.saved_at } };
          }
          const stale = (found: string | null): Saved => ({ outcome: 'stale', tag: found });
          if (!isExpected(before?.tag ?? null, expected)) return stale(before?.tag ?? null);
          const { id, organizationId } = run;
          const version = { tag, bytes: kept.bytes, savedAt };
          if (before) {
            const earlier = { tag: before.tag, bytes: before.bytes, savedAt: before.saved_at };
            await keepVersion(transaction, id, earlier, version, keyId);
          }
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
          // Somebody else saved a review between reading and writing.
          if (!written) {
            const found = await currentTag(transaction, id);
            if (found !== tag) return stale(found);
            return { outcome: 'saved', created: false, review: { tag, savedAt } };
          }
          if (!before) await keepVersion(transaction, id, null, version, keyId);
          await countKept(transaction, id, kept.bytes - (before?.bytes ?? 0));
          await captionsChanged(transaction, run);
          if (finished && !keepsMedia) await releaseMedia(transaction, id);
          const data = { finished };
          await queueEvent(transaction, { type: 'review.saved', organizationId, runId: id, data });
          return { outcome: 'saved', created: before === undefined, review: { tag, savedAt } };
        })
        .catch(async (error: unknown) => {
          // The review of a run that was just deleted is not stored.
          const found = await database
            .selectFrom('runs')
            .select('id')
            .where('id', '=', run.id)
            .executeTakeFirst();
          if (!found) return { outcome: 'no-run' } as const;
          throw error;
        });
    },
    /** Deletes a review with its versions; false if the stored one is not the expected one. */
    async forget(runId: string, expected: Expected): Promise<boolean> {
      if (expected === 'none') return (await currentTag(database, runId)) === null;
      return database.transaction().execute(async (transaction) => {
        await lockReview(transaction, runId);
        const earlier = await bytesOfVersions(transaction, runId);
        const row = await transaction
          .deleteFrom('reviews')
          .where('run_id', '=', runId)
          .$if(Array.isArray(expected), (query) =>
            query.where('tag', 'in', [...(expected as readonly string[]), '']),
          )
          .returning(['bytes', 'organization_id'])
          .executeTakeFirst();
        if (row) {
          await countKept(transaction, runId, -row.bytes - earlier);
          await captionsChanged(transaction, {
            id: runId,
            organizationId: row.organization_id,
          });
        }
        return (await currentTag(transaction, runId)) === null;
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
