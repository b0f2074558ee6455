/** Ends the processes started by a thread. */
import { readFileSync } from 'node:fs';

/**
 * Ends processes that a thread left behind. The id of an ended process may belong to another one by now; where the
 * system reports parents (Linux), such a process is left alone.
 */
export function endChildren(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      if (isOurs(pid)) process.kill(pid, 'SIGKILL');
    } catch {
      // The process is already gone.
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
  // The process name, in brackets, may contain anything; the state and the parent follow it (proc(5)).
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) === process.pid;
}
