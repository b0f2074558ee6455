/**
 * Rescues the runs of a worker thread that is stuck or has ended.
 */
import { STAGE_PROGRESS } from '../../contract/stage-progress.ts';
import type { Log } from '../../base/log.ts';
import type { RunQueue } from '../queue/queue.ts';
import type { RunAttempts } from '../store/run-attempts.ts';
import type { RunStore } from '../store/run-store.ts';
import type { RunQueries } from '../store/run-queries.ts';
import { type Section, ThreadWatch } from './thread-watch.ts';

interface RescueParts {
  queue: Pick<RunQueue, 'extend' | 'release'>;
  attempts: RunAttempts;
  store: Pick<RunStore, 'report'>;
  queries: Pick<RunQueries, 'cancelRequested'>;
  log: Log;
}

export type ThreadRescue = ReturnType<typeof createThreadRescue>;

/** Creates the rescue for the threads of a process. */
export function createThreadRescue(parts: RescueParts) {
  const { queue, queries, log } = parts;
  const keeping = new WeakSet<ThreadWatch>();

  const isCancelled = async (runId: string | undefined): Promise<boolean> =>
    runId !== undefined && (await queries.cancelRequested([runId])).includes(runId);
  const tried = async <T>(work: Promise<T>, fallback: T): Promise<T> =>
    work.catch((error: unknown) => {
      log.warn('thread_rescue_failed', { error });
      return fallback;
    });

  return {
    /**
     * Extends the leases of a silent thread, so that nobody else takes the run in which it is stuck. Never rejects.
     * @returns whether that run is to be cancelled
     */
    async keep(watch: ThreadWatch): Promise<boolean> {
      if (keeping.has(watch)) return false;
      keeping.add(watch);
      const [, cancelled] = await Promise.all([
        tried(queue.extend(watch.held), undefined),
        tried(isCancelled(watch.suspect?.runId), false),
      ]);
      keeping.delete(watch);
      return cancelled;
    },
    /**
     * Frees the runs of a thread that was ended. The run in which it was stuck is counted and moves to the end of the
     * queue; the others are next, uncounted. Never rejects: leases that are not released expire.
     * @param isStuck whether the thread was ended because it was stuck
     */
    async free(watch: ThreadWatch, isStuck: boolean): Promise<void> {
      const { suspect, held } = watch;
      const guilty = isStuck || suspect?.counted ? suspect : undefined;
      await tried(noteAttempt(parts, watch, guilty, isStuck), undefined);
      const wasGuilty = (runId: string) => runId === guilty?.runId;
      const cancelled = await tried(isCancelled(guilty?.runId), false);
      const others = held.filter(({ runId }) => !wasGuilty(runId));
      const blamed = held.filter(({ runId }) => wasGuilty(runId));
      await Promise.all([
        tried(queue.release(others), undefined),
        tried(queue.release(blamed, !cancelled), undefined),
      ]);
    },
  };
}

/** Sets the final count of each run. */
async function noteAttempt(
  { attempts, store }: RescueParts,
  watch: ThreadWatch,
  guilty: Section | undefined,
  isStuck: boolean,
): Promise<void> {
  await attempts.uncount(watch.bystanders(guilty));
  if (guilty) {
    if (!guilty.counted) await attempts.count(guilty.runId);
    await store.report(guilty.runId, guilty.stage, STAGE_PROGRESS[guilty.stage]);
  } else if (isStuck) {
    // The thread had announced no computation, so any of its runs may be the cause.
    for (const { runId } of watch.held) await attempts.count(runId);
  }
}
