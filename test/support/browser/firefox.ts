/** A real Firefox, in which some browser tests of the app run as well as in Chromium. */
import type { Browser } from 'puppeteer-core';
import { needs } from '../requirements.ts';
import { launchBrowser } from './launch.ts';

/** FIREFOX names a Firefox other than the one on the PATH. */
const executable =
  process.env['FIREFOX'] ??
  ['firefox-esr', 'firefox'].map((name) => Bun.which(name)).find((path) => path !== null);

/** `test` if Firefox is installed. */
export const needsFirefox = needs(executable !== undefined, 'there is no Firefox');

/** Starts Firefox; null if it is not installed. */
export async function startFirefox(): Promise<Browser | null> {
  if (!executable) return null;
  return launchBrowser({
    browser: 'firefox',
    executablePath: executable,
    // Allows sound before the user has clicked anything.
    extraPrefsFirefox: { 'media.autoplay.default': 0, 'media.autoplay.blocking_policy': 0 },
    env: { ...process.env, LC_ALL: 'C.UTF-8', MOZ_HEADLESS: '1' },
  });
}
