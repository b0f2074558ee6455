/** Watchers of runs, notified by run events and, once a second, by one query for all of them. */
import type { Log } from '../../base/log.ts';
import type { RunEvents } from './run-events.ts';
import { repeat } from '../../base/concurrency.ts';

/** A watcher learns of a change within this time even if its event was lost. */
const LOOK_EVERY_MS = 1000;

/** The last change of a run: its time in epoch milliseconds, and whether the run has ended. */
export interface LastChange {
  at: number;
  isEnd: boolean;
}

/** One watcher of a run. */
interface RunWatch {
  /**
   * Resolves when the run may have progressed since the last call, and also when the signal is aborted. It may resolve
   * early.
   */
  next(): Promise<void>;
  /** Ends the watch, which would otherwise take up memory forever. */
  close(): void;
}

/** The updates to wait for: all progress of a run, or only its end. */
type AwaitedUpdates = 'changes' | 'end';

export type RunWatches = ReturnType<typeof createWatches>;

/**
 * Creates the watches of a process.
 * @param lastChanges queries the last change of each of the given runs; it omits unknown ids
 * @param lookEveryMs the interval of these queries
 */
export function createWatches(
  events: RunEvents,
  lastChanges: (ids: string[]) => Promise<Map<string, LastChange>>,
  log: Log,
  lookEveryMs = LOOK_EVERY_MS,
) {
  const watched = new Map<string, Set<Watch>>();
  events.subscribe((event) => {
    if (event.type !== 'changed' && event.type !== 'ended') return;
    for (const watch of watched.get(event.runId) ?? []) {
      if (event.type === 'ended' || watch.awaited === 'changes') watch.notify();
    }
  });

  const look = async (): Promise<void> => {
    const ids = [...watched.keys()];
    if (ids.length === 0) return;
    try {
      const changes = await lastChanges(ids);
      for (const id of ids) for (const watch of watched.get(id) ?? []) watch.see(changes.get(id));
    } catch (error) {
      log.warn('watched_runs_not_read', { error });
    }
  };
  const looking = repeat(lookEveryMs, look);

  return {
    watch(runId: string, awaited: AwaitedUpdates, signal: AbortSignal): RunWatch {
      const watch = new Watch(awaited, signal);
      const others = watched.get(runId) ?? new Set();
      watched.set(runId, others.add(watch));
      return {
        next: () => watch.next(),
        close() {
          others.delete(watch);
          if (others.size === 0 && watched.get(runId) === others) watched.delete(runId);
        },
      };
    },
    close: (): void => void looking.stop(),
  };
}

class Watch {
  readonly awaited: AwaitedUpdates;
  readonly #signal: AbortSignal;
  #isPending = false;
  #lastChange: number | undefined;
  #wake: (() => void) | null = null;

  constructor(awaited: AwaitedUpdates, signal: AbortSignal) {
    this.awaited = awaited;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.());
  }

  notify(): void {
    this.#isPending = true;
    this.#wake?.();
  }

  /**
   * Takes the time of the last change. The first one says nothing about earlier changes, so it counts as an update too.
   */
  see(change: LastChange | undefined): void {
    if (change && !change.isEnd && this.awaited === 'end') return;
    if (change && change.at === this.#lastChange) return;
    this.#lastChange = change?.at;
    this.notify();
  }

  async next(): Promise<void> {
    if (!this.#isPending && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = null;
    this.#isPending = false;
  }
}
