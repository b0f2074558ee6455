/** The API explorer in a real Chromium. */
import { expect, setDefaultTimeout } from 'bun:test';
import { needsChromium, visit } from '../../support/browser/chromium.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, ann } = await appBench();

needsChromium(
  'the explorer sends a request with a key that is typed, asks no other host, and forgets the key',
  async () => {
    const { page, faults } = await visit(browser(), `${server.url}/docs/try`);
    await page.waitForSelector('.opblock');
    expect(await page.$$eval('.errors', (errors) => errors.length)).toBe(0);
    await page.click('.btn.authorize');
    await page.type('.auth-container input', ann.key);
    await page.click('.auth-btn-wrapper .authorize');
    await page.click('.btn-done');
    await page.click('[id$="-listRuns"] .opblock-summary-control');
    await page.click('[id$="-listRuns"] .btn.execute');
    const status = await page.waitForSelector('.live-responses-table tbody .response-col_status');
    expect(await status!.evaluate((cell) => cell.textContent.trim())).toBe('200');
    expect(faults).toEqual([]);
    const kept = () => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      document.cookie,
    ];
    expect(await page.evaluate(kept)).toEqual(['{}', '{}', '']);
    await page.reload();
    await page.waitForSelector('.btn.authorize.unlocked');
    await page.close();
  },
);
