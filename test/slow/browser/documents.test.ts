/** The documents in a real Chromium, with and without script. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { accessibilityFaults, needsChromium, visit } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const base = server.url;
const { browser } = await testBrowser();

const PAGES = ['/', '/auth', '/guide', '/limits', '/privacy', '/nothing'];

describe.each(PAGES)('%s', (path) => {
  needsChromium('loads from here alone, obeys its policy, passes WCAG 2.2 AA, fits', async () => {
    const { page, faults } = await visit(browser(), `${base}${path}`);
    await expectToLookWell(page, `document${path.replaceAll('/', '-')}`);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsChromium('reads without script, and in print', async () => {
    const { page } = await visit(browser(), `${base}${path}`, { script: false });
    const words = await page.$eval('main', (main) => main.innerText.length);
    expect(words).toBeGreaterThan(100);
    expect(await page.$$('.copy')).toHaveLength(0);
    await page.emulateMediaType('print');
    const shown = await page.$$eval('nav', (navs) => navs.filter((nav) => nav.checkVisibility()));
    expect(shown).toHaveLength(0);
    await page.close();
  });
});

needsChromium('the front page is light, and its document opens for a link into it', async () => {
  const { page } = await visit(browser(), `${base}/`, { script: false });
  const addresses = await page.$$eval('main img', (images) => images.map(({ src }) => src));
  expect(addresses.length).toBeGreaterThan(3);
  const sizes = await Promise.all(
    [`${base}/`, `${base}/page.js`, ...addresses].map(async (address) => {
      const response = await fetch(address, {
        headers: { accept: 'text/html, image/webp', 'accept-encoding': 'gzip' },
        decompress: false,
      });
      return (await response.arrayBuffer()).byteLength;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000);
  const isShown = () => page.$eval('#endpoints', (one) => one.checkVisibility());
  expect(await isShown()).toBe(false);
  await page.goto(`${base}/#endpoints`);
  expect(await isShown()).toBe(true);
  await page.close();
});

needsChromium('a button copies a block of code as it is written', async () => {
  await browser()
    .defaultBrowserContext()
    .overridePermissions(base, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
  const { page, faults } = await visit(browser(), `${base}/guide`);
  await page.bringToFront();
  const written = await page.$eval('pre', (block) => block.textContent.trimEnd());
  await page.focus('.copy');
  await page.keyboard.press('Enter');
  // The message stays for two seconds.
  await page.waitForFunction(() =>
    ['.copy', '[role=status]'].every(
      (said) => document.querySelector(said)?.textContent === 'Copied',
    ),
  );
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(written);
  expect(faults).toEqual([]);
  await page.close();
});

// The reference is the other documents' page, with more in it: one look of each kind is enough.
needsChromium('the API reference loads from here alone, passes WCAG 2.2 AA, fits', async () => {
  const { page, faults } = await visit(browser(), `${base}/docs`);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewport({ width: 360, height: 900 });
  await page.waitForFunction(() => innerWidth === 360);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(faults).toEqual([]);
  await page.close();
});
