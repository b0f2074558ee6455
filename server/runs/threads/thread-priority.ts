/** Lowers the scheduling priority of a worker thread. */
import { setPriority } from 'node:os';
import { ownThreadId } from '../../base/processor-time.ts';

/**
 * The niceness, of at most 19. At this value, a busy worker gets about a tenth of the processor time of a busy thread
 * that answers requests.
 */
const NICENESS = 10;

/**
 * Gives requests priority over this thread and the processes that it starts from now on, since a page must not wait for
 * a talk of hours. Only Linux sets priorities for single threads; elsewhere this does nothing.
 */
export function yieldToRequests(): void {
  try {
    const thread = ownThreadId();
    if (thread !== null) setPriority(thread, NICENESS);
  } catch {
    // Lowering the priority is not allowed here.
  }
}
