/** Reads the processor time of a thread. Only Linux reports it for other threads. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Linux counts in hundredths of a second on all machines (USER_HZ). */
const TICK_MS = 10;

/** This thread's id in the operating system; null if it is unknown. */
export function ownThreadId(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/** The processor time that a thread of this process has used, in milliseconds; null if unknown. */
export function threadTime(id: number): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // The thread's name, in brackets, may contain anything; the fields after it start with the state, field 3
    // (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}
