/** Finds the controls of a page that are too small for a finger. WCAG 2.5.8 exempts links within a sentence. */
import type { Page } from 'puppeteer-core';

/** The least width and height of a target, in CSS pixels. */
const LEAST = 44;

/** The visible controls below that size, each as its size and its beginning. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const controls =
      'a[href], button, input, select, textarea, summary, [role=tab], [role^=menuitem]';
    const isInSentence = (one: Element): boolean => {
      const around = [...(one.parentElement?.childNodes ?? [])];
      const hasWords = around.some((node) => node instanceof Text && /\p{L}/u.test(node.data));
      return one.matches('a') && hasWords && getComputedStyle(one).display === 'inline';
    };
    // A press on the label of a check box is a press on the box.
    const boxOf = (one: Element): DOMRect => {
      const label =
        one.closest('label') ?? (one.id && document.querySelector(`label[for="${one.id}"]`));
      const own = one.getBoundingClientRect();
      if (!label || !one.matches('[type=checkbox], [type=radio], [type=file]')) return own;
      const around = label.getBoundingClientRect();
      const [left, top] = [Math.min(own.left, around.left), Math.min(own.top, around.top)];
      const right = Math.max(own.right, around.right);
      return new DOMRect(left, top, right - left, Math.max(own.bottom, around.bottom) - top);
    };
    return [...document.querySelectorAll(controls)].flatMap((one) => {
      const isShown = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const { width, height, right } = boxOf(one);
      // The link that skips to the content is above the page until it has the focus.
      if (
        !isShown ||
        width * height === 0 ||
        one.matches('.skip, [type=file]') ||
        isInSentence(one)
      )
        return [];
      // Half a pixel is lost where a browser rounds.
      const isReached = right <= innerWidth + 0.5;
      if (isReached && width > least - 0.5 && height > least - 0.5) return [];
      const size = `${Math.round(width)} × ${Math.round(height)}${isReached ? '' : ', cut off'}`;
      return [`${size}: ${one.outerHTML.slice(0, 110)}`];
    });
  }, LEAST);
