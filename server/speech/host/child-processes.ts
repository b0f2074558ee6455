/**
 * Reports recogniser processes to the main thread, which ends them if their thread no longer can: on Deno, a stuck
 * thread leaves them behind when it is ended.
 */
import type { ChildProcess } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';

/** A process that has started or ended. */
export interface ChildNews {
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
export const onChild = (hear: (told: ChildNews) => void): void =>
  news.subscribe((message) => hear(message as ChildNews));
