/** How far the stop of this process has got, for the requests that it still answers. */

export interface Stopping {
  /** Aborted when the process takes no more connections: streams of events end, and say when to come back. */
  leaving: AbortSignal;
  /** Aborted just before every connection is closed: uploads that still arrive are refused with a status. */
  closing: AbortSignal;
}

/** A process that does not stop. */
export const NOT_STOPPING: Stopping = {
  leaving: new AbortController().signal,
  closing: new AbortController().signal,
};

/** The shortest time after which a client comes back, in milliseconds; the longest is three times as long. */
const COME_BACK_MS = 1000;

/** The last lines of a stream of events that a stopping process ends: the clients do not all come back at once. */
export const comeBack = (random: () => number = Math.random): string =>
  `retry: ${Math.round(COME_BACK_MS * (1 + 2 * random()))}\n\n`;
