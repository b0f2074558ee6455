/** The Chromium of the tests: one for all files of a process, because starting it takes as long as many tests. */
import { afterAll } from 'bun:test';
import type { Browser } from 'puppeteer-core';
import { startChromium } from './chromium.ts';
import { removeFolder, temporaryFolder } from '../servers/server-process.ts';

export interface TestBrowser {
  /** The browser. @throws {Error} if there is none: such tests are skipped */
  browser(): Browser;
  /** A folder for files of the tests. */
  folder: string;
}

/** Ends with the process: its driver kills it then. */
let started: Promise<Browser | null> | null = null;

/** Starts Chromium if there is one; after the tests of the file its pages are closed, and the folder deleted. */
export async function testBrowser(): Promise<TestBrowser> {
  if (!(await started)?.connected) started = startChromium();
  const chromium = await started;
  const folder = await temporaryFolder();
  afterAll(async () => {
    const own = chromium?.defaultBrowserContext();
    for (const context of chromium?.browserContexts() ?? []) {
      if (context !== own) await context.close();
    }
    for (const page of (await own?.pages())?.slice(1) ?? []) await page.close();
    await removeFolder(folder);
  });
  return {
    folder,
    browser() {
      if (!chromium) throw new Error('there is no Chromium');
      return chromium;
    },
  };
}
