/** Counts computations in the row of a run or a translation. If a thread or a process dies during one, the count stays. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { Database } from '../storage/database.ts';
import { isTranslationId } from './stored-translation.ts';

export interface RunAttempts {
  /**
   * Records that a computation of a run begins.
   * @param stage stored with the count, because progress is no longer written if the process dies
   */
  count(runId: string, stage?: CaptionerStage): Promise<void>;
  /** Records that the computation ended, or was stopped through no fault of the run. */
  uncount(runId: string): Promise<void>;
}

/** Creates the counts in the service's database. */
export function createRunAttempts(database: Database): RunAttempts {
  const add = async (runId: string, change: 1 | -1, stage?: CaptionerStage): Promise<void> => {
    if (isTranslationId(runId)) {
      await database
        .updateTable('translations')
        .set((eb) => ({ attempts: eb('attempts', '+', change) }))
        .where('id', '=', runId)
        .where('attempts', '>=', change === 1 ? 0 : 1)
        .execute();
      return;
    }
    await database
      .updateTable('runs')
      .set((eb) => ({ attempts: eb('attempts', '+', change), ...(stage && { stage }) }))
      .where('id', '=', runId)
      .where('attempts', '>=', change === 1 ? 0 : 1)
      .execute();
  };
  return { count: (runId, stage) => add(runId, 1, stage), uncount: (runId) => add(runId, -1) };
}
