/** Work that can wait until what somebody typed is to be seen. */

/** A page that is not shown is not painted; after this time the work is done all the same. */
const AT_MOST_MS = 100;

/**
 * Does some work once the page is painted.
 * @returns a function that cancels it
 */
export function afterPaint(work: () => void): () => void {
  let waits = setTimeout(work, AT_MOST_MS);
  const frame = requestAnimationFrame(() => {
    // A frame begins here; it is painted before the next task.
    clearTimeout(waits);
    waits = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(waits);
  };
}
