/** Ends the processes started by a thread. */
import { readFileSync } from 'node:fs';

/**
 * Ends processes that a thread left behind. The id of a process that has ended may belong to
 * another by now, which is left alone if the system reports parents (Linux).
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
  // The process name, in brackets, may contain anything; the state and the parent follow (proc(5)).
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) === process.pid;
}
