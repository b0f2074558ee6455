/** Measures the resident memory of another process. */
import { readdir, readFile } from 'node:fs/promises';

/** The resident memory in MiB; 0 if the process or /proc does not exist. */
export async function resident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The same, including all descendants. */
export async function residentWithChildren(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const listed = await Promise.all(
    threads.map((id) => readFile(`/proc/${pid}/task/${id}/children`, 'utf8').catch(() => '')),
  );
  const children = listed.flatMap((ids) => ids.split(' ').filter((id) => id.trim() !== ''));
  const theirs = await Promise.all(children.map((id) => residentWithChildren(Number(id))));
  return theirs.reduce((sum, one) => sum + one, await resident(pid));
}

/** The peak above the idle memory while something is done, in MiB. */
export async function peakAboveIdle(
  pid: number,
  work: () => Promise<unknown>,
  look: (pid: number) => Promise<number> = resident,
): Promise<number> {
  const idle = await look(pid);
  let peak = idle;
  const watch = setInterval(() => void look(pid).then((now) => (peak = Math.max(peak, now))), 20);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return peak - idle;
}
