/** A user's run that ended without captions. */
import { completedRun, spoken } from '../../../support/servers/completed-run.ts';
import type { Person } from './app.ts';

/** Stores a run with a result, and returns its id. */
export async function endedRun(
  { service, organizationId }: Person,
  state: 'failed' | 'blocked' | 'cancelled',
  result: object,
): Promise<string> {
  const { database } = service.services;
  const { runId } = await completedRun(database, organizationId, spoken('Hello there'));
  await database
    .updateTable('runs')
    .set({ state, result: JSON.stringify({ ...result, id: runId }) })
    .where('id', '=', runId)
    .execute();
  return runId;
}
