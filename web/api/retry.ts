/** Retries requests while the network or the service is unreachable. */
import { signal } from '@preact/signals';
import { ApiProblem, NoAnswer } from './request.ts';

/** Whether the service is unreachable while something waits for it. */
export const unreachable = signal(false);

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Repeats an attempt until it succeeds or is refused for good. The pauses grow, and are at least as long as the service
 * requests. The attempt must be safe to repeat. A long attempt calls `reached` once it has an answer: if it breaks off
 * after that, it is repeated after the shortest pause.
 */
export async function retrying<T>(
  stop: AbortSignal,
  attempt: (reached: () => void) => Promise<T>,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  const reached = () => {
    unreachable.value = false;
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
      unreachable.value = error instanceof NoAnswer;
      if (!passing) throw error;
      const asked = error instanceof ApiProblem ? (error.retryAfter ?? 0) * 1000 : 0;
      await pauseOrOnline(Math.max(pause, asked), stop);
    }
  }
}

/** Waits for the pause, or until the network comes back. */
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
