/** Run events: messages about runs between the threads and processes of the service. */
import { EventEmitter } from 'node:events';

export type RunEvent =
  /** A run is waiting for a worker. */
  | { type: 'queued' }
  /** The worker that executes the run has to stop. */
  | { type: 'cancel'; runId: string }
  /** A run has made progress. */
  | { type: 'changed'; runId: string }
  | { type: 'ended'; runId: string }
  /** A run is gone, and what is still held of it in memory or files has to go too. */
  | { type: 'erased'; runId: string };

/**
 * A channel for run events. Events are delivered immediately and at most once; polling makes up for events lost with a
 * process or a connection.
 */
export interface RunEvents {
  publish(event: RunEvent): void;
  /** Calls back for every event, including those sent by this process. */
  subscribe(listener: (event: RunEvent) => void): void;
  close(): Promise<unknown>;
}

/** Creates the channel for a single process. */
export function createLocalRunEvents(): RunEvents {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (event) => void emitter.emit('run', event),
    subscribe: (listener) => void emitter.on('run', listener),
    close: async () => emitter.removeAllListeners(),
  };
}
