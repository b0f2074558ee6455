/** Many runs asked for at once. */

/** What is asked for at once. */
export const LANES = 32;

/** Does a piece of work so many times, 32 at once; how many times a second. */
export async function inLanes(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let left = count;
  const lane = async () => {
    while ((left -= 1) >= 0) await work();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return (count * 1000) / (performance.now() - start);
}

/** Keeps so many pieces of work under way while something else is done. */
export async function whileUnderWay<T>(
  others: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const lane = async () => {
    while (!over.signal.aborted) await others();
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(lanes);
  }
}
