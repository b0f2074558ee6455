/**
 * Checks the appearance of a screen in light and dark, wide and narrow, and keeps screenshots as
 * artefacts.
 */
import { expect } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'puppeteer-core';
import { accessibilityFaults } from './chromium.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pictures = join(process.env['ARTIFACTS_DIR'] ?? join(root, 'artifacts'), 'app');

/**
 * Every rule is checked once in each colour scheme and at each width. Only colours and sizes depend
 * on the combination, so the other two variants are checked for these.
 */
export const LOOKS: readonly {
  scheme: 'light' | 'dark';
  width: number;
  /** Default: 900. */
  height?: number;
  /** Only these rules; default: all. */
  rules?: string[];
}[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 360 },
  { scheme: 'dark', width: 1280, rules: ['color-contrast', 'target-size'] },
  { scheme: 'light', width: 360, rules: ['color-contrast', 'target-size'] },
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

/** Takes a screenshot of a screen in each variant; it must fit, and pass WCAG 2.2 AA. */
export async function expectToLookWell(page: Page, name: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  for (const { scheme, width, height = 900, rules } of LOOKS) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    const path = join(pictures, `${name}-${scheme}-${width}.png`) as `${string}.png`;
    await page.screenshot({ path, fullPage: true, optimizeForSpeed: true });
    expect([scheme, width, ...(await overflow(page))]).toEqual([scheme, width]);
    expect([scheme, width, ...(await stickingOut(page))]).toEqual([scheme, width]);
    expect([scheme, width, ...(await accessibilityFaults(page, rules))]).toEqual([scheme, width]);
  }
}
