/** The direction of the text of an element, which decides what the arrow keys and a pointer mean. */

/** Whether the text of an element begins at the right. */
export const isFromRight = (element: Element): boolean =>
  getComputedStyle(element).direction === 'rtl';
