/**
 * Uploads of the app over interrupted connections: they resume where they stopped, even after a
 * reload.
 */
import { expect, setDefaultTimeout } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFile, makeCaptions, openApp, press, shownRun } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { watchSent } from '../../support/browser/page-traffic.ts';
import { until } from '../../support/servers/client.ts';
import { startCuttingProxy } from '../../support/servers/cutting-proxy.ts';
import { sample } from '../../support/sample.ts';
import { text } from '../../support/browser/words.ts';
import { appBench } from './support.ts';

setDefaultTimeout(120_000);

const { server, browser, folder, ann, hold } = await appBench();

/** A talk of a few megabytes. */
const talk = await readFile(sample);
const long = Buffer.concat(Array.from({ length: 40 }, () => talk));
const file = join(folder, 'long-talk.mp3');
await writeFile(file, long);

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Waits until the service has the whole recording. */
const isStored = () =>
  until(async () => {
    const objects = join(server.dataDir, 'audio', 'objects');
    const names = await readdir(objects, { recursive: true }).catch(() => []);
    for (const name of names.filter((each) => each.endsWith('.mp3'))) {
      const bytes = await readFile(join(objects, name)).catch(() => null);
      if (bytes && digest(bytes) === digest(long)) return true;
    }
    return false;
  });

needsChromium('a connection that is cut three times', async () => {
  const release = hold();
  const proxy = await startCuttingProxy(server.url, { cuts: 3, bytes: 1_500_000 });
  const { page } = await openApp(browser(), proxy.url, { client: ann });
  await makeCaptions(page, file, 'deepgram');
  await shownRun(page);
  expect(await isStored()).toBe(true);
  expect(proxy.cuts()).toBe(3);
  release();
  await proxy.close();
  await page.close();
});

needsChromium('a page that is loaded again in the middle', async () => {
  const release = hold();
  const proxy = await startCuttingProxy(server.url, { cuts: 1000, bytes: 2_500_000 });
  const { page } = await openApp(browser(), proxy.url, { client: ann });
  const isOnItsWay = page.waitForResponse((response) => response.url().endsWith('/resumable'));
  await makeCaptions(page, file, 'deepgram');
  const address = (await isOnItsWay).headers()['location'] ?? '';
  await until(async () => proxy.cuts() > 0);
  // The browser asks before an unfinished upload is abandoned.
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto('about:blank');
  await page.goto(`${proxy.url}/app#/`);
  const sent = await watchSent(page);
  await chooseFile(page, file);
  await press(page, text.start.make);
  await shownRun(page);
  expect(sent.some(({ path }) => path === '/resumable')).toBe(false);
  expect(sent.some(({ path }) => path === new URL(address).pathname)).toBe(true);
  expect(await isStored()).toBe(true);
  release();
  await proxy.close();
  await page.close();
});
