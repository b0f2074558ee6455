/**
 * Finds the runs without captions, because no speech was recognised. The list of runs does not say
 * which these are.
 */
import { hasCaptions } from '../api/runs.ts';
import { withKey } from '../session.ts';
import { keptResult } from '../storage/runs.ts';

/**
 * Looks at finished runs one after the other, so that a page of runs does not burden the service.
 * @param asked the runs that were checked before; those of this call are added
 * @param onSilent called with the id of each run without captions
 */
export async function findSilentRuns(
  runIds: readonly string[],
  asked: Set<string>,
  stop: AbortSignal,
  onSilent: (runId: string) => void,
): Promise<void> {
  for (const runId of runIds) {
    if (asked.has(runId)) continue;
    const silent = await isSilent(runId, stop);
    if (stop.aborted) return;
    asked.add(runId);
    if (silent) onSilent(runId);
  }
}

async function isSilent(runId: string, stop: AbortSignal): Promise<boolean> {
  try {
    const kept = await keptResult(runId).catch(() => undefined);
    if (kept?.status === 'completed' && kept.captions.cues.length > 0) return false;
    // Captions may have been written by hand.
    return !(await withKey((key) => hasCaptions(key, runId, stop)));
  } catch {
    // The list shows only that the run is done.
    return false;
  }
}
