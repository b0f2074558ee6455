/** Delays work until the user pauses. */

/** The delay in milliseconds after the last request, and the longest after the first. */
export interface PauseLengths {
  readonly typing: number;
  readonly longest: number;
}

/** Runs work after a pause; each `begin` restarts the pause, up to a limit. */
export function createPause(
  { typing, longest }: PauseLengths,
  work: () => void,
): { begin(): void; end(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    begin() {
      const now = performance.now();
      if (timer === undefined) first = now;
      end();
      const wait = Math.max(0, Math.min(typing, first + longest - now));
      timer = setTimeout(() => {
        timer = undefined;
        work();
      }, wait);
    },
    end,
  };
}
