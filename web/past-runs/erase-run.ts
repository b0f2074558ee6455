/** Erases a run: on the service, then in this browser, even if the service no longer has it. */
import { ask, unlessGone } from '../api/request.ts';
import { runPath } from '../api/runs.ts';
import { forgetRun } from '../storage/runs.ts';
import { withKey } from '../tab/session.ts';

/** Erases the run. @throws {ApiProblem} @throws {NoAnswer} */
export async function eraseRun(runId: string): Promise<void> {
  await withKey((key) => ask(runPath(runId, '/data'), { method: 'DELETE', key })).catch(unlessGone);
  // A browser that blocks storage has nothing to delete.
  await forgetRun(runId).catch(() => {});
}
