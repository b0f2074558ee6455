/**
 * Starts a real Chromium, and records a page's errors, policy violations and requests to other
 * hosts.
 */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { needs } from '../requirements.ts';
import { launchBrowser } from './launch.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const executable = NAMES.map((name) => Bun.which(name)).find((path) => path !== null);

/** `test` if Chromium is installed. */
export const needsChromium = needs(executable !== undefined, 'there is no Chromium');

/** Starts Chromium; null if it is not installed. */
export async function startChromium(): Promise<Browser | null> {
  if (!executable) return null;
  return launchBrowser({
    executablePath: executable,
    // It ends with this process, whose end closes the pipe.
    pipe: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-features=SpareRendererForSitePerProcess',
      '--disable-dev-shm-usage',
    ],
    // Without a language set, Chromium saves files with non-ASCII names as “download”.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
}

export interface Visit {
  page: Page;
  /** Errors in the console, policy violations, requests to other hosts. */
  faults: string[];
}

export interface VisitOptions {
  scheme?: 'light' | 'dark';
  width?: number;
  script?: boolean;
  /** Called before the address is opened. */
  before?(page: Page): Promise<void>;
}

/** Opens an address and waits until it is loaded. */
export async function visit(
  browser: Browser | BrowserContext,
  url: string,
  { scheme = 'light', width = 1280, script = true, before }: VisitOptions = {},
): Promise<Visit> {
  const page = await browser.newPage();
  // On a busy machine a run takes long.
  page.setDefaultTimeout(180_000);
  const faults: string[] = [];
  const { host } = new URL(url);
  page.on('pageerror', (error) => faults.push(`error: ${String(error)}`));
  page.on('console', (message) => {
    // Chromium reports error responses as page errors. The status of an error page is not one;
    // neither is a missing review, or one that somebody else has saved in the meantime.
    const { url: of = '' } = message.location();
    const own =
      message.text().includes('Failed to load resource') &&
      (of === url || /\/workflows\/captioner\/[^/]+\/(review|comments)$/.test(of));
    if (message.type() === 'error' && !own) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol !== 'data:' && target.protocol !== 'blob:' && target.host !== host) {
      faults.push(`request: ${request.url()}`);
    }
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setJavaScriptEnabled(script);
  await before?.(page);
  await page.goto(url, { waitUntil: 'load' });
  return { page, faults };
}

/**
 * The violations of WCAG 2.2 A and AA that axe finds, one per line.
 * @param rules only these rules of axe
 */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      runOnly: only ? { type: 'rule', values: only } : { type: 'tag', values: tags },
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules ?? null);
}
