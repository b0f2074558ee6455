/** What the threads and processes of a service tell each other about runs. */
import { EventEmitter } from 'node:events';

export type RunNews =
  /** A run waits for a worker. */
  | { type: 'queued' }
  /** Whoever executes the run is to stop. */
  | { type: 'cancel'; runId: string }
  /** A run has got on. */
  | { type: 'changed'; runId: string }
  | { type: 'ended'; runId: string };

/**
 * News, told at once and at most once: what is lost when a process or a connection breaks is found
 * by those who look from time to time.
 */
export interface Bulletin {
  publish(news: RunNews): void;
  /** Hears what anyone publishes, this process too. */
  subscribe(hear: (news: RunNews) => void): void;
  close(): Promise<void>;
}

/** The bulletin of one process alone. */
export function createLocalBulletin(): Bulletin {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (news) => void emitter.emit('news', news),
    subscribe: (hear) => void emitter.on('news', hear),
    async close() {
      emitter.removeAllListeners();
    },
  };
}
