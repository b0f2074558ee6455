/** Reads the processor time and the memory of threads and processes. Only Linux reports them. */
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
export const threadTime = (id: number): number | null => timeIn(`/proc/self/task/${id}/stat`);

/** The processor time that all threads of a process have used, in milliseconds; null if unknown. */
export const processTime = (id: number): number | null => timeIn(`/proc/${id}/stat`);

function timeIn(path: string): number | null {
  try {
    const stat = readFileSync(path, 'utf8');
    // The name, in brackets, may contain anything; the fields after it start with the state, field 3 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}

/** The memory that a process occupies, in bytes; null if unknown. */
export function processMemory(id: number): number | null {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}
