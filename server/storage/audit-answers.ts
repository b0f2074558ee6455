/** Known answers of language models, kept in the database for as long as results are. */
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/**
 * Makes the store. A database that fails costs a call to the model, never a run.
 * @param ttlMs how long an answer counts: they hold words of transcripts
 */
export function createAuditAnswers(
  database: Database,
  { ttlMs, log, now = Date.now }: { ttlMs: number; log: Log; now?: () => number },
) {
  return {
    /** The answer under a key, or null where none is kept (any more). */
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
    /** Keeps an answer in place of an older one. */
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

/** Lets go of the answers that were kept before an instant (epoch milliseconds). */
export async function forgetAnswers(database: Database, before: number): Promise<void> {
  await database.deleteFrom('audit_answers').where('created_at', '<=', before).execute();
}
