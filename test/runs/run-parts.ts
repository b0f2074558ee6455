/** The parts of a service of runs on a database, in one process and with an empty queue. */
import { createLog, type Log } from '../../server/log.ts';
import { createPartialTranscripts } from '../../server/runs/store/partial-transcripts.ts';
import type { RunQueue } from '../../server/runs/queue/queue.ts';
import { createResultQuota } from '../../server/runs/store/result-quota.ts';
import { createLocalRunEvents } from '../../server/runs/run-events.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { createWatches } from '../../server/runs/watches.ts';
import type { Database } from '../../server/storage/database.ts';

/** Creates the parts; `queued` receives each run that enters the queue, with its position. */
export function runParts(
  database: Database,
  queued: (runId: string, position: number) => void,
  log: Log = createLog('silent'),
) {
  const events = createLocalRunEvents();
  const start = async ({ runId }: { runId: string }, position: number) => queued(runId, position);
  return {
    store: createRunStore(database),
    queries: createRunQueries(database),
    partial: createPartialTranscripts(database),
    resultQuota: createResultQuota(database, null),
    queue: { start } as Partial<RunQueue> as RunQueue,
    events,
    // Regular polling would hide that an event is not sent.
    watches: createWatches(events, async () => new Map(), log, 1_000_000_000),
    log,
  };
}
