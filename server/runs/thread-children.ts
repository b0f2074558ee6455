/** Ends what a thread has started. */
import { readFileSync } from 'node:fs';

/**
 * Ends processes that a thread left behind. The number of one that ended by itself may belong to another
 * by now, which is left alone where the system tells whose child it is (Linux).
 */
export function endChildren(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      if (isOurs(pid)) process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  }
}

function isOurs(pid: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return process.platform !== 'linux';
  }
  // Its name, in brackets, may hold anything; the state and the parent follow (proc(5)).
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) === process.pid;
}
