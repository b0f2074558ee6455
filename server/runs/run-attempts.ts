/** The count of computations in a run's row: where a thread or a process ends within one, the count stays. */
import type { Database } from '../storage/database.ts';

export interface RunAttempts {
  /** A computation of a run begins. */
  count(runId: string): Promise<void>;
  /** It came to its end, or was ended for no fault of the run. */
  uncount(runId: string): Promise<void>;
}

/** The counts on the service's database. */
export function createRunAttempts(database: Database): RunAttempts {
  const add = async (runId: string, change: 1 | -1): Promise<void> => {
    await database
      .updateTable('runs')
      .set((eb) => ({ attempts: eb('attempts', '+', change) }))
      .where('id', '=', runId)
      .where('attempts', '>=', change === 1 ? 0 : 1)
      .execute();
  };
  return { count: (runId) => add(runId, 1), uncount: (runId) => add(runId, -1) };
}
