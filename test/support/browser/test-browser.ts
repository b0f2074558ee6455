/** A Chromium for the tests of one file. */
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

/**
 * Starts Chromium if there is one; after the tests of the file it is closed, and the folder
 * deleted.
 */
export async function testBrowser(): Promise<TestBrowser> {
  const started = await startChromium();
  const folder = await temporaryFolder();
  afterAll(async () => {
    await started?.close();
    await removeFolder(folder);
  });
  return {
    folder,
    browser() {
      if (!started) throw new Error('there is no Chromium');
      return started;
    },
  };
}
