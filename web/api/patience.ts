/** Trying again while the network or the service is away. */
import { signal } from '@preact/signals';
import { ApiProblem, NoAnswer } from './problem.ts';

/** Whether the service is out of reach, and something waits for it. */
export const outOfReach = signal(false);

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Does something until it succeeds or is refused for good: it waits while there is no answer, and as
 * long as the service asks to. What is tried must be safe to do twice. An attempt that lasts says by
 * `reached` that it has had an answer: what breaks off after that is tried again soon.
 */
export async function patiently<T>(
  stop: AbortSignal,
  attempt: (reached: () => void) => Promise<T>,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  const reached = () => {
    outOfReach.value = false;
    pause = FIRST_PAUSE_MS;
  };
  for (; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      const done = await attempt(reached);
      reached();
      return done;
    } catch (error) {
      stop.throwIfAborted();
      const passing = error instanceof NoAnswer || (error instanceof ApiProblem && error.isPassing);
      outOfReach.value = error instanceof NoAnswer;
      if (!passing) throw error;
      const asked = error instanceof ApiProblem ? (error.retryAfter ?? 0) * 1000 : 0;
      await pauseOrOnline(Math.max(pause, asked), stop);
    }
  }
}

/** Waits; a network that comes back ends the wait. */
async function pauseOrOnline(ms: number, stop: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    stop.addEventListener('abort', end);
  });
  stop.throwIfAborted();
}
