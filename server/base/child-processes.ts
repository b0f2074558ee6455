/**
 * Reports recogniser processes to the main thread, which ends them if their thread no longer can: on Deno, a stuck
 * thread leaves them behind when it is ended.
 */
import type { ChildProcess } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { processTime } from './processor-time.ts';

/** A process that has started or ended. */
interface ChildNews {
  pid: number;
  alive: boolean;
}

const news = channel('captioner:child-process');

/** Reports the start of a process, and later its end. */
export function reportChild(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  news.publish({ pid, alive: true } satisfies ChildNews);
  child.once('exit', () => news.publish({ pid, alive: false } satisfies ChildNews));
}

/** Subscribes to all processes of this thread. */
export const onChild = (hear: (news: ChildNews) => void): void =>
  news.subscribe((message) => hear(message as ChildNews));

// The environment of child processes, without the service's secrets.

const NEEDED = [
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'TEMP',
  'SystemRoot',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'DENO_DIR',
];

/** The environment variables that are passed to a child process. */
export const childEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    NEEDED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

// Notices that a child process hangs, and leaves one alone that only gets little of a busy processor.

/** A process that uses less of its time than this does nothing. */
const IDLE = 0.01;
/** A process that has used this much of its time, all of it computing, does nothing that ends. */
const ENDLESS = 0.9;

/**
 * Calls `stuck` once a process has shown no progress for a time, and has either done nothing in it or computed for that
 * long. Where the system does not report processor time, only the time counts.
 * @param limitMs the time in milliseconds; a process that is computing slowly, because the processor is busy, gets more
 * @param timeOf reads the processor time of a process
 */
export function watchProgress(
  pid: number,
  limitMs: number,
  stuck: () => void,
  timeOf: (pid: number) => number | null = processTime,
) {
  let used = timeOf(pid);
  let computed = 0;
  const wait = () => setTimeout(check, limitMs);
  const check = (): void => {
    const now = timeOf(pid);
    if (now === null || used === null) return stuck();
    const since = now - used;
    computed += since;
    if (since < limitMs * IDLE || computed >= limitMs * ENDLESS) return stuck();
    used = now;
    timer = wait();
  };
  let timer = wait();
  return {
    /** Reports that it has done something; its time begins anew. */
    progressed(): void {
      clearTimeout(timer);
      used = timeOf(pid);
      computed = 0;
      timer = wait();
    },
    stop: (): void => clearTimeout(timer),
  };
}
