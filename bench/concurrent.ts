/** Runs many pieces of work at the same time, to load a service. */

/** The number of concurrent pieces of work. */
export const CONCURRENCY = 32;

/** Runs a piece of work `count` times, 32 at once; returns the rate per second. */
export async function runConcurrently(
  count: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  let left = count;
  const worker = async () => {
    while ((left -= 1) >= 0) await work();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return (count * 1000) / (performance.now() - start);
}

/** Keeps 32 pieces of other work running while `work` runs. */
export async function whileRunning<T>(
  others: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const worker = async () => {
    while (!over.signal.aborted) await others();
  };
  const workers = Array.from({ length: CONCURRENCY }, worker);
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(workers);
  }
}
