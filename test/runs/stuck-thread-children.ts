/**
 * A program for either runtime that prints the id of a process whose thread was ended, and whether
 * it is alive.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorkerThreads } from '../../server/runs/threads/worker-threads.ts';
import type { ThreadWatch } from '../../server/runs/threads/thread-watch.ts';

const freed = new EventEmitter<{ freed: [ThreadWatch] }>();
const nothing = (): void => {};
const threads = await startWorkerThreads(
  { workers: 1, computeDeadlineMs: 2000, speech: { slots: 1 } } as never,
  {
    events: { subscribe: nothing, publish: nothing } as never,
    metrics: {} as never,
    rescue: {
      keep: async () => false,
      free: async (watch) => void freed.emit('freed', watch),
    },
    tempDir: '',
    log: { error: nothing } as never,
    entry: new URL('./child-entry.ts', import.meta.url),
  },
);
const watch = await new Promise<ThreadWatch>((resolve) => freed.once('freed', resolve));
const [pid = 0] = watch.children;
const lives = (): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
};
for (let waited = 0; lives() && waited < 3000; waited += 20) await sleep(20);
console.log(JSON.stringify({ pid, lives: lives() }));
void threads.stop(0);
process.exit(0);
