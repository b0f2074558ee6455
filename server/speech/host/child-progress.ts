/** Notices that a child process hangs, and leaves one alone that only gets little of a busy processor. */
import { processTime } from '../../processor-time.ts';

/** A process that uses less of its time than this does nothing. */
const IDLE = 0.01;
/** A process that has used this much of its time, all of it computing, does nothing that ends. */
const ENDLESS = 0.9;

/** The watch over a process. */
export interface ProgressWatch {
  /** Reports that it has done something; its time begins anew. */
  progressed(): void;
  stop(): void;
}

/**
 * Calls `stuck` once a process has shown no progress for a time, and has either done nothing in it or computed for that
 * long. Where the system does not report processor time, only the time counts.
 * @param limitMs the time in milliseconds; a process that is computing slowly, because the processor is busy, gets more
 * @param timeOf reads the processor time of a process
 */
export function watchProgress(
  pid: number,
  limitMs: number,
  stuck: () => void,
  timeOf: (pid: number) => number | null = processTime,
): ProgressWatch {
  let used = timeOf(pid);
  let computed = 0;
  const wait = () => setTimeout(check, limitMs);
  const check = (): void => {
    const now = timeOf(pid);
    if (now === null || used === null) return stuck();
    const since = now - used;
    computed += since;
    if (since < limitMs * IDLE || computed >= limitMs * ENDLESS) return stuck();
    used = now;
    timer = wait();
  };
  let timer = wait();
  return {
    progressed() {
      clearTimeout(timer);
      used = timeOf(pid);
      computed = 0;
      timer = wait();
    },
    stop: () => clearTimeout(timer),
  };
}
