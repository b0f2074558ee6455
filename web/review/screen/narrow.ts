/** Whether the screen shows one part of the desk at a time. */

/** The same width as in the style sheet. */
const NARROW = '(max-width: 60rem)';

/** Whether it does now. */
export const isNarrow = (): boolean => matchMedia(NARROW).matches;

/** Calls a function whenever the screen becomes narrow or wide. @returns a function that ends this */
export function onNarrow(look: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', look);
  return () => query.removeEventListener('change', look);
}
