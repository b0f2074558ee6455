/** Counts computations in the row of a run or a translation. If a thread or a process dies during one, the count stays. */
import type { CaptionerStage } from '../../contract/failure.ts';
import type { Database } from '../../storage/database.ts';
import { isTranslationId } from './stored-translation.ts';

export type RunAttempts = ReturnType<typeof createRunAttempts>;

/** Creates the counts in the service's database. */
export function createRunAttempts(database: Database) {
  return {
    /**
     * Records that a computation of a run begins.
     * @param stage stored with the count, because progress is no longer written if the process dies
     */
    async count(runId: string, stage?: CaptionerStage): Promise<void> {
      if (isTranslationId(runId)) {
        await database
          .updateTable('translations')
          .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
          .where('id', '=', runId)
          .execute();
        return;
      }
      await database
        .updateTable('runs')
        .set((eb) => ({ attempts: eb('attempts', '+', 1), ...(stage && { stage }) }))
        .where('id', '=', runId)
        .execute();
    },
    /** Records that computations of these runs ended, or were stopped through no fault of the runs. */
    async uncount(runIds: readonly string[]): Promise<void> {
      for (const table of ['runs', 'translations'] as const) {
        const some = runIds.filter((id) => isTranslationId(id) === (table === 'translations'));
        if (some.length === 0) continue;
        await database
          .updateTable(table)
          .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
          .where('id', 'in', some)
          .where('attempts', '>=', 1)
          .execute();
      }
    },
  };
}
