/** A cache of language models' answers in the database, kept for as long as results. */
import type { Log } from '../base/log.ts';
import type { Database } from './database.ts';

/**
 * Creates the cache. If the database fails, the model is called again, and the run continues.
 * @param ttlMs how long an answer is kept; it is limited because answers contain words of transcripts
 */
export function createAuditAnswers(
  database: Database,
  { ttlMs, log, now = Date.now }: { ttlMs: number; log: Log; now?: () => number },
) {
  return {
    /** The answer for a key, or null if there is none. From then on it belongs to the run too. */
    async get(key: string, runId: string): Promise<string | null> {
      try {
        const row = await database
          .selectFrom('audit_answers')
          .select('answer')
          .where('key', '=', key)
          .where('created_at', '>', now() - ttlMs)
          .executeTakeFirst();
        if (!row) return null;
        await link(database, key, runId);
        return row.answer;
      } catch (error) {
        log.warn('audit_answer_not_read', { error });
        return null;
      }
    },
    /** Stores an answer for a run, replacing an older one. */
    async set(key: string, answer: string, runId: string): Promise<void> {
      const created_at = now();
      try {
        // In one transaction, since an answer that belongs to no run could not be erased.
        await database.transaction().execute(async (transaction) => {
          await transaction
            .insertInto('audit_answers')
            .values({ key, answer, created_at })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ answer, created_at }))
            .execute();
          await link(transaction, key, runId);
        });
      } catch (error) {
        log.warn('audit_answer_not_stored', { error });
      }
    },
  };
}

/** Records that an answer belongs to a run. @throws {Error} one of them no longer exists */
async function link(database: Database, key: string, runId: string): Promise<void> {
  await database
    .insertInto('audit_answer_runs')
    .values({ key, run_id: runId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes the answers stored before an instant (epoch milliseconds). */
export async function forgetAnswers(database: Database, before: number): Promise<void> {
  await database.deleteFrom('audit_answers').where('created_at', '<=', before).execute();
}
