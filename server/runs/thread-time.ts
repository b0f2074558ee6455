/** The processor time of a thread. Linux alone tells it of other threads. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Linux counts in hundredths of a second wherever it runs (USER_HZ). */
const TICK_MS = 10;

/** What the operating system calls this thread; null where that cannot be known. */
export function ownThreadId(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/** The processor time that a thread of this process has used, in milliseconds; null where that cannot be known. */
export function threadTime(id: number): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // Its name, in brackets, may hold anything; what follows is counted from the state, field 3 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}
