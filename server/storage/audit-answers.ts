/** A cache of language models' answers in the database, kept for as long as results. */
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/**
 * Creates the cache. If the database fails, the model is called again; runs do not fail.
 * @param ttlMs how long an answer is kept, since it contains words of transcripts
 */
export function createAuditAnswers(
  database: Database,
  { ttlMs, log, now = Date.now }: { ttlMs: number; log: Log; now?: () => number },
) {
  return {
    /** The answer for a key, or null if none is kept. */
    async get(key: string): Promise<string | null> {
      try {
        const row = await database
          .selectFrom('audit_answers')
          .select('answer')
          .where('key', '=', key)
          .where('created_at', '>', now() - ttlMs)
          .executeTakeFirst();
        return row?.answer ?? null;
      } catch (error) {
        log.warn('audit_answer_not_read', { error });
        return null;
      }
    },
    /** Stores an answer, replacing an older one. */
    async set(key: string, answer: string): Promise<void> {
      const created_at = now();
      try {
        await database
          .insertInto('audit_answers')
          .values({ key, answer, created_at })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ answer, created_at }))
          .execute();
      } catch (error) {
        log.warn('audit_answer_not_kept', { error });
      }
    },
  };
}

/** Deletes the answers stored before an instant (epoch milliseconds). */
export async function forgetAnswers(database: Database, before: number): Promise<void> {
  await database.deleteFrom('audit_answers').where('created_at', '<=', before).execute();
}
