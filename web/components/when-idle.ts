/** Work that can wait until the page has nothing else to do. */

/** Does it then. @returns calls it off */
export function whenIdle(work: () => void): () => void {
  // Safari has no idle time to ask for.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1000);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work);
  return () => cancelIdleCallback(id);
}
