/** How the operating system weighs this thread against others. */
import { setPriority } from 'node:os';
import { ownThreadId } from './thread-time.ts';

/** Of 19: about a tenth of the time of a thread that answers requests, where both have something to do. */
const NICENESS = 10;

/**
 * Lets requests go before this thread, and the processes it starts from now on: whoever reads a page
 * is not to wait for a talk of hours. Linux alone weighs threads one by one; elsewhere nothing happens.
 */
export function yieldToRequests(): void {
  try {
    const thread = ownThreadId();
    if (thread !== null) setPriority(thread, NICENESS);
  } catch {
    // Not allowed.
  }
}
