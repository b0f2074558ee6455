/** Sound and video in a review: playback, the captions on the picture, the waveform, fingers and real hands. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { saveText } from '../../../web/texts/saving.ts';
import { chooseFile, openApp, press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { keepFromService, rememberFiles } from '../../support/browser/review-page.ts';
import { captioned, placeOf, secondsOf, soundIsSeen } from '../../support/browser/review-sound.ts';
import { reviewBench, ReviewPage, reviewTests } from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();

const time = ({ page }: ReviewPage): Promise<number> =>
  page.$eval('video', (video) => video.currentTime);
const isPlaying = ({ page }: ReviewPage): Promise<boolean> =>
  page.$eval('video', (video) => !video.paused);
const shown = ({ page }: ReviewPage): Promise<string> =>
  page.$$eval('.overlay span', (lines) => lines.map((line) => line.textContent).join('\n'));
const until = (review: ReviewPage, seconds: number): Promise<unknown> =>
  review.page.waitForFunction(
    (past) => (document.querySelector('video')?.currentTime ?? 0) > past,
    {},
    seconds,
  );

/** Drags with the mouse from a time on the timeline, by a number of pixels. */
async function drag(review: ReviewPage, time: number, by: number): Promise<void> {
  const { mouse } = review.page;
  const [x, y] = await placeOf(review, time);
  await mouse.move(x, y);
  await mouse.down();
  for (let step = 1; step <= 5; step += 1) await mouse.move(x + (by * step) / 5, y);
  await mouse.up();
  await review.settled();
}

needsChromium(
  'the video plays and shows captions at once; the timeline moves and zooms',
  async () => {
    const review = await captioned(bench);
    await review.press('Caption 3: play from here');
    await until(review, 8.7);
    expect(await isPlaying(review)).toBe(true);
    expect(await shown(review)).toBe(await review.text(3));
    await review.keys('Control+Space');
    expect(await isPlaying(review)).toBe(false);
    await review.type(3, ' and more');
    await review.page.$eval('input.seek', (field) => {
      field.value = '9';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await review.settled();
    expect(await shown(review)).toEndWith('and more');
    // Space plays while no text field is focused.
    await review.page.$eval('#content', (main) => (main as HTMLElement).focus());
    await review.keys('Space');
    expect(await isPlaying(review)).toBe(true);
    await review.keys('Control+Space', 'Control+KeyZ');

    // Dragging on the timeline changes times, one step of undo each; a click goes there, a wheel zooms.
    const [start, end] = await review.times(1);
    await drag(review, secondsOf(end), -80);
    const [, shorter] = await review.times(1);
    expect(shorter < end).toBe(true);
    expect((await review.times(1))[0]).toBe(start);
    await drag(review, secondsOf(start) + 1, 30);
    expect((await review.times(1))[0] > start).toBe(true);
    await review.keys('Control+KeyZ', 'Control+KeyZ');
    expect(await review.times(1)).toEqual([start, end]);

    // An edge pushes its neighbour's edge along at the minimum gap, and takes it back again.
    await drag(review, secondsOf(end), 600);
    const [own, next] = [await review.times(1), await review.times(2)];
    expect(secondsOf(next[0]) - secondsOf(own[1])).toBeCloseTo(0.084, 3);
    expect(secondsOf(next[1]) - secondsOf(next[0])).toBeGreaterThan(0.799);
    expect(await review.said()).toStartWith('Caption 2 would be too short.');

    const [x, y] = await placeOf(review, 7.5);
    await review.page.mouse.click(x, y - 70);
    expect(await time(review)).toBeCloseTo(7.5, 1);

    // With Ctrl, as for a pinch, it zooms; the time under the pointer stays in place.
    await review.page.keyboard.down('Control');
    await review.page.mouse.wheel({ deltaY: -60 });
    await review.page.keyboard.up('Control');
    await review.settled();
    const span = () =>
      review.page.$eval('.waveform-frame', (frame) =>
        Number((frame as HTMLElement).dataset['span']),
      );
    expect(await span()).toBeWithin(5, 10);
    expect(Math.abs((await placeOf(review, 7.5))[0] - x)).toBeLessThan(3);
    expect(review.faults).toEqual([]);
    await review.close();
  },
);

needsChromium(
  'the recording is still there after a reload; another run may be given one',
  async () => {
    const review = await captioned(bench);
    await review.page.reload();
    await review.page.waitForSelector('.cue');
    await soundIsSeen(review);
    await review.press('Play');
    await until(review, 0.5);

    const other = await bench.open(await bench.run());
    expect(await other.count('video')).toBe(0);
    await chooseFile(other.page, sample);
    await soundIsSeen(other);
    await other.press('Play');
    await until(other, 0.5);
    await other.page.reload();
    await other.page.waitForSelector('.cue');
    await soundIsSeen(other);
    expect([...review.faults, ...other.faults]).toEqual([]);
    await review.close();
    await other.close();
  },
);

describe('on a phone', () => {
  needsChromium(
    'a finger on a phone drags a caption, or the view, and two fingers zoom',
    async () => {
      const review = await captioned(bench);
      const { page } = review;
      await page.setViewport({ width: 360, height: 800, hasTouch: true });
      await page.waitForSelector('.cue');
      await review.press('Sound');
      await soundIsSeen(review);
      const view = () =>
        page.$eval('.waveform-frame', (frame) => {
          const { left, span } = (frame as HTMLElement).dataset;
          return { left: Number(left), span: Number(span) };
        });
      const finger = async (from: readonly [number, number], by: number): Promise<void> => {
        const touch = await page.touchscreen.touchStart(...from);
        for (let step = 1; step <= 5; step += 1)
          await touch.move(from[0] + (by * step) / 5, from[1]);
        await touch.end();
        await review.settled();
      };
      const before = { times: await review.times(1), view: await view() };
      const [start, end] = before.times.map(secondsOf) as [number, number];
      const [x, y] = await placeOf(review, start + (end - start) / 2);
      await finger([x, y], 40);
      expect(await view()).toEqual(before.view);
      const moved = (await review.times(1)).map(secondsOf) as [number, number];
      expect(moved[0] - start).toBeCloseTo((40 / 360) * before.view.span, 0);
      await review.keys('Control+KeyZ');
      expect(await review.times(1)).toEqual(before.times);

      // Above the words, between the edges of captions, a finger moves the view.
      await finger([x, y - 60], -60);
      const panned = await view();
      expect(panned.left).toBeGreaterThan(before.view.left);
      expect(panned.span).toBeCloseTo(before.view.span, 3);
      expect(await review.times(1)).toEqual(before.times);

      const one = await page.touchscreen.touchStart(x - 20, y - 60);
      const two = await page.touchscreen.touchStart(x + 20, y - 60);
      for (const apart of [30, 40, 50, 60]) {
        await one.move(x - apart, y - 60);
        await two.move(x + apart, y - 60);
      }
      await one.end();
      await two.end();
      await review.settled();
      expect((await view()).span).toBeLessThan(panned.span * 0.6);
      expect(await review.times(1)).toEqual(before.times);
      expect(review.faults).toEqual([]);

      // The bar to seek has room, and a lost connection moves nothing.
      const placeOfPart = (selector: string) =>
        page.$eval(selector, (part) => {
          const { left, right, top } = part.getBoundingClientRect();
          return { width: right - left, toEdge: innerWidth - right, top };
        });
      const seek = await placeOfPart('.seek');
      expect(seek.width).toBeGreaterThan(64);
      expect(seek.toEdge).toBeGreaterThanOrEqual(8);
      await review.press('Captions');
      const list = await placeOfPart('.cue-list');
      await page.setOfflineMode(true);
      await page.waitForSelector('main > .notice');
      expect(await placeOfPart('.cue-list')).toEqual(list);
      await review.close();
    },
  );

  needsChromium('nothing moves while the desk opens', async () => {
    const { browser, server } = bench;
    const { page } = await openApp(browser, server.url, {
      at: '/sample',
      before: async (opened) => {
        await opened.setViewport({ width: 360, height: 740, hasTouch: true });
        await opened.evaluateOnNewDocument(() => {
          const moved: number[] = [];
          Object.assign(globalThis, { moved });
          new PerformanceObserver((list) => {
            for (const shift of list.getEntries()) {
              moved.push((shift as PerformanceEntry & { value: number }).value);
            }
          }).observe({ type: 'layout-shift', buffered: true });
        });
      },
    });
    await page.waitForSelector('.phone-bar');
    await page.waitForSelector('video');
    await page.waitForNetworkIdle();
    const moved = await page.evaluate(() => (globalThis as unknown as { moved: number[] }).moved);
    expect(moved.reduce((sum, one) => sum + one, 0)).toBeLessThan(0.01);
    await page.close();
  });
});

describe('the desk under real hands', () => {
  const { reviewing } = reviewTests(bench);
  const { server: own, folder } = bench;

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
    const visit = await openApp(bench.browser, own.url, {
      before: async (opened) => void (await rememberFiles(opened)),
    });
    const input = await visit.page.waitForSelector('input[type=file]');
    await input?.uploadFile(...(media ? [path, media] : [path]));
    await visit.page.waitForSelector('.cue textarea');
    return new ReviewPage(visit);
  }

  describe('the caption under the playhead', () => {
    needsChromium('is the one that commands apply to after a seek', async () => {
      const review = await captioned(bench);
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
          const bottom = await page.$eval(
            '.phone-bar',
            (bar) => bar.getBoundingClientRect().bottom,
          );
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
      const { page, faults } = await openApp(bench.browser, own.url);
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
});
