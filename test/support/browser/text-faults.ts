/** Finds texts of a page that lie over each other, or that are cut off, and controls of the player beside it. */
import type { Page } from 'puppeteer-core';

/** What is wrong with the texts that are shown, a line each. */
export const textFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    interface Shown {
      text: string;
      /** What of it is shown. */
      box: DOMRect;
      owner: Element;
    }
    const faults: string[] = [];
    const layerOf = (element: Element): Element | null =>
      element.closest('dialog, [role=menu], .menu-items, [popover]');
    const clips = (element: Element): boolean => {
      const { display, overflowX } = getComputedStyle(element);
      return display !== 'contents' && overflowX !== 'visible';
    };
    const scrolls = (element: Element): boolean =>
      /auto|scroll/.test(getComputedStyle(element).overflowX);
    /** A name may end in three dots if it can be read in full; a button or a screen only with a tooltip, or as a line of a list. */
    const isAbridged = (element: Element): boolean =>
      getComputedStyle(element).textOverflow === 'ellipsis' &&
      element.closest<HTMLElement>('button:not(.plain), nav a')?.title !== '';
    const shown: Shown[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const owner = node.parentElement;
      if (
        text === '' ||
        !owner?.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      )
        continue;
      if (owner.closest('.visually-hidden, option, textarea, [aria-hidden=true], svg')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const whole of range.getClientRects()) {
        let { left, right, top, bottom } = whole;
        let isCut = false;
        let abridged = false;
        for (let around: Element | null = owner; around; around = around.parentElement) {
          abridged ||= isAbridged(around);
          if (!clips(around)) continue;
          const edge = around.getBoundingClientRect();
          const isWider = left < edge.left - 2 || right > edge.right + 2;
          if (isWider && !abridged && !scrolls(around)) isCut = true;
          const isHigher = top < edge.top - 2 && bottom > edge.top + 2;
          if (isHigher && getComputedStyle(around).overflowY === 'hidden') isCut = true;
          left = Math.max(left, edge.left);
          right = Math.min(right, edge.right);
          top = Math.max(top, edge.top);
          bottom = Math.min(bottom, edge.bottom);
          if (around === document.body) break;
        }
        if (right - left < 1 || bottom - top < 1) {
          if (isCut) faults.push(`cut off: ${text.slice(0, 60)}`);
          continue;
        }
        if (isCut || right > innerWidth + 1 || left < -1)
          faults.push(`cut off: ${text.slice(0, 60)}`);
        const box = new DOMRect(left, top, right - left, bottom - top);
        if (box.bottom > 0 && box.top < innerHeight) shown.push({ text, box, owner });
      }
    }
    for (const [at, one] of shown.entries()) {
      for (const other of shown.slice(at + 1)) {
        if (one.owner === other.owner || layerOf(one.owner) !== layerOf(other.owner)) continue;
        const wide =
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high =
          Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Lines of a text may touch: their boxes are higher than their letters.
        if (wide > 2 && high > 5)
          faults.push(`“${one.text.slice(0, 40)}” lies over “${other.text.slice(0, 40)}”`);
      }
    }
    const sign = document.querySelector('header.site .brand')?.getBoundingClientRect();
    for (const action of document.querySelectorAll('.desk-actions > *')) {
      const { left, right } = action.getBoundingClientRect();
      if (sign && action.checkVisibility() && left < sign.right - 2 && right > sign.left + 2)
        faults.push(`lies over the sign: ${action.textContent}`);
    }
    for (const control of document.querySelectorAll('.controls > *')) {
      const { right } = control.getBoundingClientRect();
      const edge = control.closest('.player')!.getBoundingClientRect().right;
      if (control.checkVisibility() && right > edge + 2)
        faults.push(`sticks out of the player: ${control.className}`);
    }
    return [...new Set(faults)];
  });
