/**
 * The processes that recognise, told to whoever ends them where this thread no longer can: a thread that is
 * stuck and ended leaves them behind on Deno.
 */
import type { ChildProcess } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';

/** A process that has begun, or has ended. */
export interface ChildNews {
  pid: number;
  alive: boolean;
}

const news = channel('captioner:child-process');

/** Tells of a process's beginning, and of its end once it comes. */
export function tellOfChild(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  news.publish({ pid, alive: true } satisfies ChildNews);
  child.once('exit', () => news.publish({ pid, alive: false } satisfies ChildNews));
}

/** Hears of every process of this thread. */
export const onChild = (hear: (told: ChildNews) => void): void =>
  news.subscribe((message) => hear(message as ChildNews));
