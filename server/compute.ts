/** Work that takes the memory and the time of this process, as whoever watches it wants it done. */

/**
 * Does work that may take its thread, or the whole process, with it: decoding, matching, joining. Whoever
 * watches counts it. It must not be nested, and must not wait for a service: a process that ends
 * meanwhile would say nothing about the work.
 */
export type Compute = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Does it where nobody counts. */
export const uncounted: Compute = async (work) => work();
