/** Repeats an action, to load a service for a limited time. */

/**
 * Repeats an action until the signal aborts; errors are ignored.
 * @param pauseMs between repetitions
 * @returns the number of repetitions
 */
export async function repeat(
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
