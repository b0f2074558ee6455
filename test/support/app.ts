/** The browser app in a real Chromium, used as its people use it. */
import type { Browser, Page } from 'puppeteer-core';
import { visit, type Visit, type VisitOptions } from './chromium.ts';
import type { Client } from './client.ts';

export interface AppOptions extends VisitOptions {
  /** Who is signed in already, as somebody who agreed that the tab remembers it. */
  client?: Client;
  /** The part of the address after `#`. */
  at?: string;
}

/** Opens the app in a browser that keeps nothing of earlier visits. */
export async function openApp(
  browser: Browser,
  url: string,
  { client, at = '/', ...options }: AppOptions = {},
): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const session = client && JSON.stringify({ key: client.key, email: 'ann@example.com' });
  return visit(context, `${url}/app#${at}`, {
    ...options,
    before: async (page) => {
      if (!session) return;
      await page.evaluateOnNewDocument((kept: string) => {
        sessionStorage.setItem('captioner.session', kept);
      }, session);
    },
  });
}

/** Presses what has a name: a button, a tab, an entry of a menu. */
export const press = (page: Page, name: string): Promise<void> =>
  page.locator(`::-p-aria(${name})`).click();

/** Chooses a file, as the dialog of the browser would. */
export async function chooseFile(page: Page, path: string): Promise<void> {
  const input = await page.waitForSelector('input[type=file]');
  await input?.uploadFile(path);
}
