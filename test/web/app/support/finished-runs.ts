/** Finished runs in the database of a service. */
import { completedRun, spoken } from '../../../support/servers/completed-run.ts';
import type { openApp } from './app.ts';

/** Creates runs with these recognised words, possibly none; each call returns the id of its run. */
export const finishedRuns = ({ service, organizationId }: Awaited<ReturnType<typeof openApp>>) => {
  const { database } = service.services;
  /** @param at when the run was made, in milliseconds */
  return async (words: string, at = 0): Promise<string> => {
    const { runId, result } = await completedRun(database, organizationId, spoken(words));
    if (words === '') {
      const silent = { ...result, captions: { ...result.captions, cues: [] } };
      await database
        .updateTable('runs')
        .set({ result: JSON.stringify(silent) })
        .where('id', '=', runId)
        .execute();
    }
    await database.updateTable('runs').set({ created_at: at }).where('id', '=', runId).execute();
    return runId;
  };
};
