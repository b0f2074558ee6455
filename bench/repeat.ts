/** Load for a limited time. */

/**
 * Repeats an action until it is told to stop; errors are ignored.
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
