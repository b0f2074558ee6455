/** Checks the appearance of a screen in light and dark, wide and narrow. With ARTIFACTS_DIR=FOLDER, screenshots are kept there. */
import { expect } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { accessibilityFaults } from './chromium.ts';

const { ARTIFACTS_DIR } = process.env;

/** All rules are checked once, those about colours in each scheme, those about places at each width. */
const LOOKS: readonly {
  scheme: 'light' | 'dark';
  width: number;
  /** Default: 900. */
  height?: number;
  /** Only these rules; default: all. */
  rules?: string[];
}[] = [
  { scheme: 'light', width: 1280 },
  {
    scheme: 'dark',
    width: 360,
    rules: ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'],
  },
  // A window of 1280 × 720 at 200% zoom.
  {
    scheme: 'light',
    width: 640,
    height: 360,
    rules: ['target-size', 'scrollable-region-focusable'],
  },
];

/** How far the page or its content extends beyond the right edge. */
const overflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll('main *, header *')].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 1,
    );
    return [`${scrollWidth} of ${clientWidth}`, ...wide.map((one) => one.outerHTML.slice(0, 120))];
  });

/** The controls and texts that stick out of their card. */
const stickingOut = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.card')].flatMap((card) => {
      const { right } = card.getBoundingClientRect();
      return [...card.querySelectorAll('input, button, a, p, select, h1, h2, time')]
        .filter((one) => one.getBoundingClientRect().right > right)
        .map((one) => one.outerHTML.slice(0, 120));
    }),
  );

/** What is taller than the row it is in, and so lies over the next one. */
const spilling = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('dialog :is(label, p, li)')]
      .filter((one) => one.checkVisibility() && one.clientHeight > 0)
      .filter((one) => one.scrollHeight > one.clientHeight + 1)
      .map((one) => `spills: ${one.outerHTML.slice(0, 120)}`),
  );

/** Looks at a screen in each variant: it must fit, and pass WCAG 2.2 AA. The window is wide again afterwards. */
export async function expectToLookWell(page: Page, name: string): Promise<void> {
  for (const { scheme, width, height = 900, rules } of LOOKS) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    if (ARTIFACTS_DIR) {
      await mkdir(`${ARTIFACTS_DIR}/app`, { recursive: true });
      const path: `${string}.png` = `${ARTIFACTS_DIR}/app/${name}-${scheme}-${width}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    const faults = [
      ...(await overflow(page)),
      ...(await stickingOut(page)),
      ...(await spilling(page)),
      ...(await accessibilityFaults(page, rules)),
    ];
    expect([name, scheme, width, ...faults]).toEqual([name, scheme, width]);
  }
  await page.setViewport({ width: 1280, height: 900 });
}
