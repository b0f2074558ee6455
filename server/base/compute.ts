/** Marks work that may use up the memory or the time of this process, so that it can be monitored. */

/**
 * Does work that may block its thread or crash the whole process: decoding, matching, joining. A monitor counts it. It
 * must not be nested, and must not wait for a service, because if the process ends during the wait, the work need not
 * be the cause.
 */
export type Compute = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Does the work without counting. */
export const uncounted: Compute = async (work) => work();
