/** Load that goes on for some time. */

/**
 * Does something again and again until it is told to stop; what it throws is of no interest.
 * @param pauseMs between two times
 * @returns how often it was done
 */
export async function again(
  stop: AbortSignal,
  pauseMs: number,
  act: () => Promise<unknown>,
): Promise<number> {
  let times = 0;
  while (!stop.aborted) {
    await act().catch(() => {});
    times += 1;
    await Bun.sleep(pauseMs);
  }
  return times;
}
