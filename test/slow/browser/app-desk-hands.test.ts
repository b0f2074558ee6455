/** The desk under real hands: a Mac keyboard, presses of 120 ms, a finger at 360 pixels. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { openApp, press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { placeOf, recordings } from '../../support/browser/review-sound.ts';
import { reviewTests, ReviewPage } from '../../support/browser/review.ts';
import { keepFromService, rememberFiles } from '../../support/browser/review-page.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { sample } from '../../support/sample.ts';
import { text } from '../../support/browser/words.ts';
import { saveText } from '../../../web/texts/saving.ts';

setDefaultTimeout(300_000);

const { captioned } = await recordings();
const { reviewing } = await reviewTests();
const { browser, folder } = await testBrowser();
const own = await testServer();

/** As long as people hold a key or a button down, in milliseconds. */
const HELD = 120;

/** A click of a person at a place of the page. */
async function clickAt(review: ReviewPage, [x, y]: readonly [number, number]): Promise<void> {
  await review.page.mouse.move(x, y);
  await review.page.mouse.down();
  await new Promise((done) => setTimeout(done, HELD));
  await review.page.mouse.up();
  await review.settled();
}

/** Opens files as if they were chosen together. */
async function openOwn(name: string, srt: string, media?: string): Promise<ReviewPage> {
  const path = join(folder, name);
  await Bun.write(path, srt);
  const visit = await openApp(browser(), own.url, {
    before: async (opened) => void (await rememberFiles(opened)),
  });
  const input = await visit.page.waitForSelector('input[type=file]');
  await input?.uploadFile(...(media ? [path, media] : [path]));
  await visit.page.waitForSelector('.cue textarea');
  return new ReviewPage(visit);
}

describe('the caption under the playhead', () => {
  needsChromium('is the one that commands apply to after a seek', async () => {
    const review = await captioned();
    await review.focus(1);
    await review.keys('Escape');
    // Above the words, where a press only seeks.
    const [x, y] = await placeOf(review, 6);
    await clickAt(review, [x, y - 60]);
    expect(await review.current()).toMatchObject({ caption: 2, typing: false });
    const words = await review.text(3);
    await review.keys('Alt+Delete');
    expect(await review.text(2)).toBe(words);
    await review.keys('Control+KeyZ');
    await review.keys('Escape', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    expect((await review.current()).caption).toBe(3);
    const [before] = await review.times(3);
    await review.keys('KeyI');
    expect((await review.times(3))[0]).not.toBe(before);
    // While a text is typed, a key that goes back to hear it again leaves the cursor there.
    await review.focus(3);
    await review.keys('Control+Alt+ArrowLeft');
    expect(await review.current()).toMatchObject({ caption: 3, typing: true });
    const [left, top] = await review.page.$eval('input.seek', (slider) => {
      const box = slider.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2] as const;
    });
    await clickAt(review, [left, top]);
    expect(await review.current()).toMatchObject({ caption: 4, typing: false });
    await review.focus(3);
    await review.choose('Timing', text.review.timingOptions.seekSelects);
    await clickAt(review, [x, y - 60]);
    expect((await review.current()).caption).toBe(3);
    expect(review.faults).toEqual([]);
    await review.close();
  });
});

/** Emulates a phone. */
const phone = (page: Page): Promise<void> =>
  page.setViewport({ width: 360, height: 740, hasTouch: true, isMobile: true });

describe('on a phone', () => {
  reviewing(
    'an edit moves nothing, and Split above the keyboard uses the cursor',
    async (review) => {
      const { page } = review;
      await phone(page);
      await review.settled();
      const top = () => page.$eval('.cue-list', (list) => list.getBoundingClientRect().top);
      const words = await review.text(1);
      await page.tap(review.field(1));
      await review.focus(1, words.indexOf('the night'));
      const before = await top();
      await page.keyboard.type('x');
      await shows(page, saveText.here);
      expect(await top()).toBe(before);
      await page.tap('.phone-bar [aria-label=Split]');
      await review.settled();
      expect(await review.text(1)).toBe(words.slice(0, words.indexOf('the night')).trim() + ' x');
      expect(await review.current()).toMatchObject({ caption: 2, typing: true });
      // The bar stays in the window, whatever part is shown.
      await review.press('Done');
      for (const part of ['Sound', 'Check', 'Captions']) {
        await review.press(part);
        const bottom = await page.$eval('.phone-bar', (bar) => bar.getBoundingClientRect().bottom);
        expect(bottom).toBeLessThanOrEqual(740);
      }
    },
  );
});

needsChromium(
  'captions of a file are held against the sound: what they leave out is a doubt',
  async () => {
    const review = await openOwn(
      'Half.srt',
      '1\n00:00:00,300 --> 00:00:08,000\nThe first words of the sample.\n',
      sample,
    );
    const { page } = review;
    await page.waitForFunction(() => /Doubts \([1-9]/.test(document.body.innerText));
    await review.tab('doubts');
    await page.waitForSelector('.unheard li');
    const [stretch = ''] = await review.readAll('.unheard .term-sentence');
    expect(stretch).toMatch(/^00:0[789]\.\d to 00:/);
    await review.keys('Escape', 'F9');
    expect(await review.read('.clock')).toStartWith(stretch.slice(0, 7));
    const left = await review.count('.unheard li');
    await page.click('.unheard li [title="Insert a caption here and play it"]');
    await review.settled();
    expect(await review.count('.cue')).toBe(2);
    expect(await review.current()).toMatchObject({ caption: 2, typing: true });
    await page.click('.unheard li [title="Nothing is missing"]');
    await review.settled();
    expect(await review.count('.unheard li')).toBeLessThanOrEqual(left);
    expect(review.faults).toEqual([]);
    await review.close();
  },
);

reviewing(
  'a tab that follows keeps its place while captions come and go above it',
  async (review) => {
    const context = review.page.browserContext();
    const page = await context.newPage();
    await keepFromService(page);
    await page.setViewport({ width: 1280, height: 600 });
    await page.goto(review.page.url());
    await page.waitForSelector('.tab-notice');
    const follower = new ReviewPage({ page, faults: [] });
    await follower.show(9);
    await page.$eval('.cue-list', (list) => (list.scrollTop = 700));
    await follower.settled();
    const firstRow = () =>
      page.$eval('.cue-list', (list) => {
        const { top } = list.getBoundingClientRect();
        const rows = [...list.querySelectorAll<HTMLElement>('.cue')];
        const row = rows
          .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
          .find((each) => each.getBoundingClientRect().top >= top)!;
        return [row.dataset['id'], Math.round(row.getBoundingClientRect().top - top)];
      });
    const before = await firstRow();
    const rows = await page.$eval('[aria-setsize]', (row) => row.getAttribute('aria-setsize'));
    await review.page.bringToFront();
    await review.focus(1, 10);
    await review.keys('Alt+Enter');
    await page.bringToFront();
    await page.waitForFunction(
      (count) => document.querySelector('[aria-setsize]')?.getAttribute('aria-setsize') !== count,
      {},
      rows,
    );
    await follower.settled();
    expect(await firstRow()).toEqual(before);
    await page.close();
  },
);

needsChromium(
  'the theme holds for the documents, and the sign-in card stays with its page',
  async () => {
    const { page, faults } = await openApp(browser(), own.url);
    await press(page, text.header.signIn);
    await page.waitForSelector('.sign-in');
    // By the address or the Back button: the dialog covers the links.
    await page.evaluate(() => void (location.hash = '#/terms'));
    await page.waitForFunction(() => !document.querySelector('.sign-in'));
    await press(page, text.header.toDark);
    await page.goto(`${own.url}/guide`);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    expect(paper).not.toBe('rgb(255, 255, 255)');
    expect(faults).toEqual([]);
    await page.close();
  },
);
