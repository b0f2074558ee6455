/** The worker threads of this process: started, told of new runs, replaced when one breaks, stopped. */
import { EventEmitter } from 'node:events';
import type { Config } from '../config.ts';
import { isPostgres } from '../config/stores.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Bulletin } from './bulletin.ts';
import { engineLocation } from './files.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { freeLeases } from './openworkflow-sqlite.ts';

const RESTART_AFTER_MS = 500;

export interface WorkerThreadsOptions {
  /** Tells the threads of what is queued or cancelled, and the others of what they have done. */
  bulletin: Bulletin;
  metrics: Metrics;
  /** Temporary files of this process. */
  tempDir: string;
  log: Log;
}

export interface WorkerThreads {
  /** Waits for runs under way for at most `graceMs`, then ends the threads. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the threads and waits until each can take runs.
 * @throws {Error} what keeps a thread from working (a pack that cannot be read, a database that cannot be opened)
 */
export async function startWorkerThreads(
  config: Config,
  { bulletin, metrics, tempDir, log }: WorkerThreadsOptions,
): Promise<WorkerThreads> {
  const ended = new EventEmitter();
  const threads = new Set<Worker>();
  const slots = Math.max(1, Math.floor(config.speech.slots / config.workers));
  let stopping = false;

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), { type: 'module' });
      threads.add(thread);
      thread.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'ready') resolve();
        if (data.type === 'changed' || data.type === 'ended') bulletin.publish(data);
        if (data.type === 'finished') metrics.runFinished(data.state, data.timingsMs);
        if (data.type === 'provider_error') metrics.providerFailed(data.provider, data.code);
        if (data.type === 'broken') reject(new Error(data.message));
        if (data.type === 'stopped') ended.emit('stopped', thread);
      });
      thread.addEventListener('error', (event) => {
        // Deno would end the whole process.
        event.preventDefault();
        reject(new Error(event.message));
        replace(thread, event.message);
      });
      post(thread, { type: 'start', config, slots, tempDir });
    });

  const replace = (thread: Worker, message: string): void => {
    if (!threads.delete(thread) || stopping) return;
    log.error('worker_thread_broke', { message });
    thread.terminate();
    // The leases of a thread among others run out by themselves.
    if (!isPostgres(config.databaseUrl) && config.workers === 1) freeLeases(engineLocation(config));
    setTimeout(() => {
      if (!stopping) start().catch((error: unknown) => log.error('worker_thread_lost', { error }));
    }, RESTART_AFTER_MS);
  };

  await Promise.all(Array.from({ length: config.workers }, start));

  bulletin.subscribe((news) => {
    if (news.type === 'queued') for (const thread of threads) post(thread, { type: 'wake' });
    if (news.type === 'cancel') for (const thread of threads) post(thread, news);
  });

  return {
    async stop(graceMs) {
      stopping = true;
      await Promise.all([...threads].map((thread) => stopThread(thread, graceMs, ended)));
      threads.clear();
    },
  };
}

function stopThread(thread: Worker, graceMs: number, ended: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ended.off('stopped', heard);
      thread.terminate();
      resolve();
    };
    const heard = (stopped: Worker) => {
      if (stopped === thread) done();
    };
    const timer = setTimeout(done, graceMs + 2000);
    ended.on('stopped', heard);
    post(thread, { type: 'stop', graceMs });
  });
}

const post = (thread: Worker, message: ToWorker): void => thread.postMessage(message);
