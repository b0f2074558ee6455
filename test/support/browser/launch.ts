/** Launches a browser for tests. */
import { launch, type Browser, type LaunchOptions } from 'puppeteer-core';

const TRIES = 3;

/**
 * Launches a browser. A page that no longer responds fails its test; on a busy machine a response
 * may take long, and the first connection to a new browser is sometimes reset, so it is tried again.
 */
export async function launchBrowser(options: LaunchOptions): Promise<Browser> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await launch({ protocolTimeout: 180_000, ...options });
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}
