/** A run in a mounted app with a finished review. */
import { completedRun, spoken } from './completed-run.ts';
import type { Mounted, MountedKey } from './mounted.ts';

/**
 * Creates the run and saves its review over HTTP.
 * @param heard the text as it was recognised
 * @param typed the text as the reviewer left it
 * @returns the id of the run
 */
export async function reviewedRun(
  app: Mounted,
  who: MountedKey,
  heard: string,
  typed: string,
): Promise<string> {
  const { database } = app.services;
  const run = await completedRun(database, who.organizationId, spoken(heard));
  const { cues } = await completedRun(database, 'nobody', spoken(typed));
  const saved = await app.ask(`/workflows/captioner/${run.runId}/review`, {
    method: 'PUT',
    key: who.key,
    json: { cues, finished: true },
  });
  if (saved.status !== 201) throw new Error(`the review was answered with ${saved.status}`);
  return run.runId;
}
