/** The files loaded by the first screen, and how they are served. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { bundleApp } from '../../../web/bundle.ts';
import { sample } from '../../support/sample.ts';
import { text } from '../../support/browser/words.ts';
import { chooseFile, openApp, openSettings, press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

/**
 * The limits for all compressed scripts of the first screen, and for those of the review including
 * them.
 */
const MAX_BYTES = 47_000;
const MAX_OF_DESK = 118_000;

const server = await testServer();
const { browser, folder } = await testBrowser();

/** The URLs that the page has loaded, by extension. */
const loaded = (page: Page, extension: string): Promise<string[]> =>
  page.evaluate(
    (end) =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => new URL(name).pathname.endsWith(end)),
    extension,
  );

/** The compressed size of a file as transferred. */
async function compressedBytes(url: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip' };
  const response = await fetch(url, { headers, decompress: false });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  return (await response.arrayBuffer()).byteLength;
}

const source = async (url: string): Promise<string> => (await fetch(url)).text();

/** The scripts that contain the MP3 library. */
async function converters(urls: readonly string[]): Promise<string[]> {
  const sources = await Promise.all(urls.map(source));
  return urls.filter((_, at) => /mediabunny|libmp3lame/i.test(sources[at] ?? ''));
}

needsChromium(`the scripts of the first screen weigh at most ${MAX_BYTES} bytes`, async () => {
  const { page } = await openApp(browser(), server.url);
  await page.waitForNetworkIdle();
  const scripts = await loaded(page, '.js');
  expect(scripts.length).toBeGreaterThan(0);
  const weights = await Promise.all(scripts.map(compressedBytes));
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(MAX_BYTES);
  await page.close();
});

test(`the scripts needed to open a review have at most ${MAX_OF_DESK} bytes`, async () => {
  const files = new Map((await bundleApp()).map(({ name, bytes }) => [name, bytes] as const));
  const textOf = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);
  const beginning = (part: string) => [...files.keys()].filter((name) => name.startsWith(part));
  const needed = new Set([...beginning('main-'), ...beginning('part-review-screen-')]);
  expect(needed.size).toBeGreaterThan(1);
  // Iterating over the set also visits what is added meanwhile, that is, all imports.
  for (const name of needed) {
    if (!name.endsWith('.js')) needed.delete(name);
    const script = textOf(files.get(name));
    for (const [, found = ''] of script.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
      needed.add(found);
    }
  }
  const weights = [...needed].map((name) => gzipSync(files.get(name) ?? '').length);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(MAX_OF_DESK);
  expect(Math.min(...weights)).toBeGreaterThan(0);
  // On a slow network every file costs a round trip.
  expect(needed.size).toBeLessThanOrEqual(6);
  // The small words of other languages than English come with captions in them.
  const holding = (word: string) => [...files].filter(([, bytes]) => textOf(bytes).includes(word));
  expect(holding('through throughout').some(([name]) => needed.has(name))).toBe(true);
  expect(holding('derjenige').map(([name]) => needed.has(name))).toEqual([false]);
});

needsChromium('the converter is loaded when a film is to be made into an MP3', async () => {
  const path = join(folder, 'film.mp4');
  await Bun.write(path, 'This is no film, but called one.'.repeat(50));
  const { page } = await openApp(browser(), server.url);
  await page.waitForNetworkIdle();
  const first = await loaded(page, '.js');
  expect(await converters(first)).toEqual([]);
  await chooseFile(page, path);
  await shows(page, 'film.mp4');
  await page.waitForNetworkIdle();
  expect(await loaded(page, '.js')).toEqual(first);
  await press(page, text.start.make);
  await shows(page, text.run.conversion.unreadable);
  const later = (await loaded(page, '.js')).filter((url) => !first.includes(url));
  expect((await converters(later)).length).toBeGreaterThan(0);
  await page.close();
});

needsChromium('loads nothing of another host, and its policy refuses nothing', async () => {
  const { page, faults } = await openApp(browser(), server.url);
  await chooseFile(page, sample);
  await openSettings(page, text.terms.packs, text.provider.title, text.format.title);
  await page.waitForSelector('.preview-screen p');
  expect(faults).toEqual([]);
  await page.close();
});
