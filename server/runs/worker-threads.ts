/** The worker threads of this process: started, told of new runs, replaced when one breaks, stopped. */
import { EventEmitter } from 'node:events';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { engineFile } from './files.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { freeLeases } from './openworkflow-engine.ts';

/** Runs that one thread executes at once; their heavy work is in other processes. */
const CONCURRENCY = 8;
const RESTART_AFTER_MS = 500;

export interface WorkerThreads {
  wake(): void;
  cancel(runId: string): void;
  /** Resolves when a thread says that a run has got on or finished, after `ms`, or when the signal is aborted. */
  nextNews(runId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Waits for runs under way for at most `graceMs`, then ends the threads. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the threads and waits until each can take runs.
 * @throws {Error} what keeps a thread from working (a pack that cannot be read, a database that cannot be opened)
 */
export async function startWorkerThreads(config: Config, log: Log): Promise<WorkerThreads> {
  const news = new EventEmitter().setMaxListeners(0);
  const threads = new Set<Worker>();
  const slots = Math.max(1, Math.floor(config.speech.slots / config.workers));
  let stopping = false;

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), { type: 'module' });
      threads.add(thread);
      thread.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'ready') resolve();
        if (data.type === 'progress' || data.type === 'finished') news.emit(data.runId);
        if (data.type === 'broken') reject(new Error(data.message));
        if (data.type === 'stopped') news.emit('stopped', thread);
      });
      thread.addEventListener('error', (event) => {
        // Deno would end the whole process.
        event.preventDefault();
        reject(new Error(event.message));
        replace(thread, event.message);
      });
      post(thread, { type: 'start', config, slots, concurrency: CONCURRENCY });
    });

  const replace = (thread: Worker, message: string): void => {
    if (!threads.delete(thread) || stopping) return;
    log.error('worker_thread_broke', { message });
    thread.terminate();
    // With one thread all leases were its own; with more they run out by themselves.
    if (config.workers === 1) freeLeases(engineFile(config));
    setTimeout(() => {
      if (!stopping) start().catch((error: unknown) => log.error('worker_thread_lost', { error }));
    }, RESTART_AFTER_MS);
  };

  await Promise.all(Array.from({ length: config.workers }, start));

  return {
    wake: () => threads.forEach((thread) => post(thread, { type: 'wake' })),
    cancel: (runId) => threads.forEach((thread) => post(thread, { type: 'cancel', runId })),
    nextNews: (runId, ms, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          news.off(runId, done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        news.on(runId, done);
        signal.addEventListener('abort', done, { once: true });
      }),
    async stop(graceMs) {
      stopping = true;
      await Promise.all([...threads].map((thread) => stopThread(thread, graceMs, news)));
      threads.clear();
    },
  };
}

function stopThread(thread: Worker, graceMs: number, news: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      news.off('stopped', heard);
      thread.terminate();
      resolve();
    };
    const heard = (stopped: Worker) => {
      if (stopped === thread) done();
    };
    const timer = setTimeout(done, graceMs + 2000);
    news.on('stopped', heard);
    post(thread, { type: 'stop', graceMs });
  });
}

const post = (thread: Worker, message: ToWorker): void => thread.postMessage(message);
