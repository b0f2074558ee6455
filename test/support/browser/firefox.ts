/** A real Firefox, which browsers' own tests of the app run in beside Chromium. */
import type { Browser } from 'puppeteer-core';
import { needs } from '../requirements.ts';
import { launchBrowser } from './launch.ts';

/** FIREFOX names another than the one on the path. */
const executable =
  process.env['FIREFOX'] ??
  ['firefox-esr', 'firefox'].map((name) => Bun.which(name)).find((path) => path !== null);

/** `test` if there is a Firefox. */
export const needsFirefox = needs(executable !== undefined, 'there is no Firefox');

/** Starts Firefox; null if there is none. */
export async function startFirefox(): Promise<Browser | null> {
  if (!executable) return null;
  return launchBrowser({
    browser: 'firefox',
    executablePath: executable,
    // Sound is played without a press of a person first.
    extraPrefsFirefox: { 'media.autoplay.default': 0, 'media.autoplay.blocking_policy': 0 },
    env: { ...process.env, LC_ALL: 'C.UTF-8', MOZ_HEADLESS: '1' },
  });
}
