/** Every control on a phone is large enough for a finger: 44 × 44 pixels, and within the screen. */
import { expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { accessibilityFaults, needsChromium } from '../../support/browser/chromium.ts';
import {
  chooseFile,
  openApp,
  openSettings,
  press,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { smallTargets } from '../../support/browser/touch-targets.ts';
import { sample } from '../../support/sample.ts';
import { text } from '../../support/browser/words.ts';
import { phone } from '../../../web/texts/desk-parts.ts';
import { appBench, startRun } from './support.ts';
import { ended } from '../../support/servers/client.ts';

setDefaultTimeout(300_000);

const { server, browser, ann, openRunning } = await appBench();
const PHONE = { width: 360, height: 800, hasTouch: true, isMobile: true };

/** The small targets of the screens that a test has looked at, each with the name of its screen. */
class Finds {
  readonly all: string[] = [];

  async look(page: Page, name: string): Promise<void> {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    this.all.push(...(await smallTargets(page)).map((found) => `${name}: ${found}`));
  }
}

needsChromium('on the start, with all its options, and while a run goes', async () => {
  const finds = new Finds();
  const { page } = await openApp(browser(), server.url, { client: ann });
  await page.setViewport(PHONE);
  await finds.look(page, 'start');
  await chooseFile(page, sample);
  await openSettings(page, text.terms.packs, text.provider.title, text.format.title);
  await shows(page, text.preview.title);
  await finds.look(page, 'options');
  await page.close();

  const running = await openRunning();
  await running.page.setViewport(PHONE);
  await finds.look(running.page, 'run');
  running.release();
  await running.page.close();
  expect(finds.all).toEqual([]);
});

needsChromium('on the terms and the past runs', async () => {
  const finds = new Finds();
  await ended(ann, await startRun(ann, 'talk.mp3'));
  for (const [at, shown] of [
    ['/runs', text.pastRuns.states['completed'] ?? ''],
    ['/terms', ''],
  ] as const) {
    const { page } = await openApp(browser(), server.url, { client: ann, at });
    await page.setViewport(PHONE);
    await shows(page, shown);
    await page.waitForSelector('main h1');
    await finds.look(page, at);
    await page.close();
  }
  expect(finds.all).toEqual([]);
});

needsChromium('on the desk, in each part and panel', async () => {
  const finds = new Finds();
  const runId = await startRun(ann, 'desk.mp3');
  await ended(ann, runId);
  const { page } = await openApp(browser(), server.url, { client: ann, at: `/runs/${runId}` });
  await page.setViewport(PHONE);
  await showsReview(page);
  await page.waitForSelector('.cue');
  await finds.look(page, 'captions');
  await press(page, phone.parts.check, '.phone-bar');
  for (const name of await page.$$eval('[data-tab]', (all) =>
    all.map((one) => one.getAttribute('data-tab') ?? ''),
  )) {
    await page.locator(`[data-tab=${name}]`).click();
    await page.waitForFunction(() => !document.querySelector('.tab-panel .loading'));
    await finds.look(page, name);
  }
  await press(page, phone.parts.sound, '.phone-bar');
  await finds.look(page, 'sound');
  await press(page, phone.parts.tools, '.phone-bar');
  await page.waitForSelector('dialog[open]');
  await finds.look(page, 'tools');
  // Only here are the parts of a phone.
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.close();
  expect(finds.all).toEqual([]);
});
