/**
 * The worker threads of this process: started, notified of new runs, monitored, replaced if they crash or get stuck,
 * and stopped.
 */
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { loadTermPacks } from '../../terminology/packs/packs.ts';
import { BEAT_MS, type FromWorker, type ToWorker } from './messages.ts';
import type { RunEvents } from '../store/run-events.ts';
import { type ThreadRescue } from './thread-rescue.ts';
import { ThreadWatch } from './thread-watch.ts';

/** The delay before a crashed thread is replaced. One that cannot start is retried with growing delays. */
const RESTART_AFTER_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The time that a thread gets to close its files after the grace time. */
const LAST_MS = 1000;

interface WorkerThreadsOptions {
  /** Notifies the threads of queued and cancelled runs, and watchers of their progress. */
  events: RunEvents;
  metrics: Metrics;
  /** Takes care of the runs of a thread that is stuck or has ended. */
  rescue: ThreadRescue;
  /** The folder for temporary files of this process. */
  tempDir: string;
  log: Log;
  /** The program of a thread; default: worker-thread.ts. */
  entry?: URL | undefined;
}

/**
 * Starts the threads and waits until each can take runs.
 * @throws {Error} if a thread cannot work, for example because a pack cannot be read or a database cannot be opened
 */
export async function startWorkerThreads(config: Config, options: WorkerThreadsOptions) {
  const { events, metrics, rescue, tempDir, log } = options;
  const { entry = new URL('./worker-thread.ts', import.meta.url) } = options;
  const threads = new Map<Worker, ThreadWatch>();
  /** What to do when a thread that was asked to stop has done so. */
  const stopped = new Map<Worker, () => void>();
  const slots = Math.max(1, Math.floor(config.speech.slots / config.workers));
  const packs = await loadTermPacks();
  let stopping = false;

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const thread = new Worker(entry, { type: 'module' });
      const watch = new ThreadWatch();
      let ready = false;
      threads.set(thread, watch);
      const fail = (message: string) => {
        if (ready) return replace(thread, message);
        threads.delete(thread);
        end(thread, watch);
        reject(new Error(message));
      };
      thread.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        watch.receive(data);
        if (data.type === 'ready') {
          ready = true;
          resolve();
        }
        if (data.type === 'changed' || data.type === 'ended') events.publish(data);
        if (data.type === 'finished') {
          metrics.runFinished(data.state, data.timingsMs, data.code);
        }
        if (data.type === 'provider_error') metrics.providerFailed(data.provider, data.code);
        if (data.type === 'broken' && !ready) fail(data.message);
        if (data.type === 'stopped') stopped.get(thread)?.();
      });
      thread.addEventListener('error', (event) => {
        // Deno would otherwise end the whole process.
        event.preventDefault();
        fail(event.message);
      });
      thread.addEventListener('close', () => fail('it ended'));
      post(thread, { type: 'start', config, packs, slots, tempDir });
    });

  const restart = (afterMs: number): void => {
    setTimeout(() => {
      if (stopping) return;
      start().catch((error: unknown) => {
        log.error('worker_thread_lost', { error });
        restart(Math.min(LONGEST_PAUSE_MS, afterMs * 2));
      });
    }, afterMs);
  };

  const replace = (thread: Worker, message: string, isStuck = false): void => {
    const watch = threads.get(thread);
    if (!watch) return;
    threads.delete(thread);
    end(thread, watch);
    log.error('worker_thread_crashed', { message, runId: watch.suspect?.runId });
    void rescue.free(watch, isStuck);
    restart(RESTART_AFTER_MS);
  };

  const supervise = (): void => {
    for (const [thread, watch] of threads) {
      watch.pass(BEAT_MS);
      if (watch.isStuck(config.computeDeadlineMs)) replace(thread, 'it is stuck', true);
      else if (watch.isSilent) {
        void rescue.keep(watch).then((isCancelled) => {
          if (isCancelled && watch.isSilent) replace(thread, 'its run was cancelled', true);
          return null;
        });
      }
    }
  };

  await Promise.all(Array.from({ length: config.workers }, start));
  const supervising = setInterval(supervise, BEAT_MS);

  events.subscribe((event) => {
    if (event.type === 'queued')
      for (const thread of threads.keys()) post(thread, { type: 'wake' });
    if (event.type === 'cancel') for (const thread of threads.keys()) post(thread, event);
  });

  return {
    /** Rejects while no thread is known to be alive, because all are stuck or being replaced. */
    async check(): Promise<void> {
      if ([...threads.values()].some(({ lives }) => lives)) return;
      throw new Error('no worker thread of this process is alive');
    },
    /** Waits at most `graceMs` for runs in progress, then ends the threads. */
    async stop(graceMs: number): Promise<void> {
      stopping = true;
      clearInterval(supervising);
      const all = [...threads];
      threads.clear();
      await Promise.all(
        all.map(async ([thread, watch]) => {
          const inTime = await stopThread(thread, graceMs, stopped);
          end(thread, watch);
          if (!inTime) await rescue.free(watch, watch.isSilent);
        }),
      );
    },
  };
}

/** Ends a thread with all processes that it has started. */
function end(thread: Worker, watch: ThreadWatch): void {
  thread.terminate();
  endChildren(watch.children);
}

/** Returns whether the thread ended by itself. */
function stopThread(
  thread: Worker,
  graceMs: number,
  stopped: Map<Worker, () => void>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), graceMs + LAST_MS);
    stopped.set(thread, () => {
      clearTimeout(timer);
      resolve(true);
    });
    post(thread, { type: 'stop', graceMs });
  });
}

const post = (thread: Worker, message: ToWorker): void => thread.postMessage(message);

/**
 * Ends processes that a thread left behind. The id of an ended process may belong to another one by now; where the
 * system reports parents (Linux), such a process is left alone.
 */
function endChildren(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      if (isOurs(pid)) process.kill(pid, 'SIGKILL');
    } catch {
      // The process is already gone.
    }
  }
}

function isOurs(pid: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return process.platform !== 'linux';
  }
  // The process name, in brackets, may contain anything; the state and the parent follow it (proc(5)).
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) === process.pid;
}
