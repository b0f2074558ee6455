/** Known answers of language models, kept in the database for as long as results are. */
import { AUDIT_ANSWER_DAYS } from '../contract/limits.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/** How long an answer is kept. */
export const ANSWER_TTL_MS = AUDIT_ANSWER_DAYS * 24 * 60 * 60 * 1000;

/** Makes the store. A database that fails costs a call to the model, never a run. */
export function createAuditAnswers(database: Database, log: Log, now: () => number = Date.now) {
  return {
    /** The answer under a key, or null where none is kept (any more). */
    async get(key: string): Promise<string | null> {
      try {
        const row = await database
          .selectFrom('audit_answers')
          .select('answer')
          .where('key', '=', key)
          .where('created_at', '>', now() - ANSWER_TTL_MS)
          .executeTakeFirst();
        return row?.answer ?? null;
      } catch (error) {
        log.warn('audit_answer_not_read', { error });
        return null;
      }
    },
    /** Keeps an answer in place of an older one, and lets go of those whose time is over. */
    async set(key: string, answer: string): Promise<void> {
      const created_at = now();
      try {
        await database
          .insertInto('audit_answers')
          .values({ key, answer, created_at })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ answer, created_at }))
          .execute();
        await database
          .deleteFrom('audit_answers')
          .where('created_at', '<=', created_at - ANSWER_TTL_MS)
          .execute();
      } catch (error) {
        log.warn('audit_answer_not_kept', { error });
      }
    },
  };
}
