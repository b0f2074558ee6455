/** Lowers the scheduling priority of a worker thread. */
import { setPriority } from 'node:os';
import { ownThreadId } from './thread-time.ts';

/**
 * Out of 19: about a tenth of the processor time of a thread that answers requests, if both are
 * busy.
 */
const NICENESS = 10;

/**
 * Gives requests priority over this thread and the processes it starts from now on: a page must not
 * wait for a talk of hours. Only Linux sets priorities for single threads; elsewhere nothing
 * happens.
 */
export function yieldToRequests(): void {
  try {
    const thread = ownThreadId();
    if (thread !== null) setPriority(thread, NICENESS);
  } catch {
    // Not allowed.
  }
}
