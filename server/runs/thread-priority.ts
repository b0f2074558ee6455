/** How the operating system weighs this thread against others. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of 19: about a tenth of the time of a thread that answers requests, where both have something to do. */
const NICENESS = 10;

/**
 * Lets requests go before this thread, and the processes it starts from now on: whoever reads a page
 * is not to wait for a talk of hours. Linux alone weighs threads one by one; elsewhere nothing happens.
 */
export function yieldToRequests(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, NICENESS);
  } catch {
    // Not Linux, or not allowed.
  }
}
