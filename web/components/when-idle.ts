/** Runs work when the page is idle. */

/**
 * Runs work when the page is idle.
 * @returns a function that cancels it
 */
export function whenIdle(work: () => void): () => void {
  // Safari has no requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1000);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work);
  return () => cancelIdleCallback(id);
}
