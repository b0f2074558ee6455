/** Resident memory of another process while something is done. */
import { readFile } from 'node:fs/promises';

/** In MiB; 0 where /proc is not there. */
export async function resident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** What it had before, and at most meanwhile. */
export async function peakMemory(
  pid: number,
  work: () => Promise<unknown>,
): Promise<{ idle: number; peak: number }> {
  const idle = await resident(pid);
  let peak = idle;
  const watch = setInterval(
    () => void resident(pid).then((now) => (peak = Math.max(peak, now))),
    20,
  );
  await work();
  clearInterval(watch);
  return { idle, peak };
}
