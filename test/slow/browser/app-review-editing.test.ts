/** The cursor and the place in a review, and a review that is open in several tabs. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { position } from '../../../web/texts/format.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { keepFromService, rememberFiles } from '../../support/browser/review-page.ts';
import {
  linesOf,
  reviewBench,
  ReviewPage,
  type ReviewRun,
  reviewTests,
} from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();
const { reviewing, cueAt } = reviewTests(bench);

reviewing('take what is typed right after the undo of a split', async (review) => {
  const { text } = cueAt(2);
  const at = text.indexOf(' ');
  await review.focus(2, at);
  const { keyboard } = review.page;
  // Without waiting, because a user may be just as fast.
  for (const [held, key] of [
    ['Alt', 'Enter'],
    ['Control', 'KeyZ'],
  ] as const) {
    await keyboard.down(held);
    await keyboard.press(key);
    await keyboard.up(held);
  }
  await keyboard.type(',');
  await review.settled();
  expect(await linesOf(review, 2)).toBe(`${text.slice(0, at)},${text.slice(at)}`);
});

reviewing('are there again where they were left', async (review) => {
  await review.focus(7);
  await review.page.reload();
  await review.page.waitForSelector('.cue.current');
  await review.settled();
  expect((await review.current()).caption).toBe(7);
  const isSeen = await review.page.$eval('.cue.current', (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    const list = row.closest('.cue-list')?.getBoundingClientRect();
    return !!list && top >= list.top && bottom <= list.bottom;
  });
  expect(isSeen).toBe(true);
});

reviewing('are played by a press as long as a human one', async (review) => {
  for (const [from, to] of [
    [1, 2],
    [2, 4],
    [3, 6],
    [6, 7],
  ] as const) {
    await review.focus(from);
    const button = await review.page.waitForSelector(
      `[aria-label="Caption ${to}: play from here"]`,
    );
    await button?.scrollIntoView();
    await review.settled();
    const box = await button?.boundingBox();
    await review.page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 10);
    await review.page.mouse.down();
    await new Promise((done) => setTimeout(done, 120));
    // The pressed button has not moved.
    expect((await button?.boundingBox())?.y).toBe(box?.y ?? 0);
    await review.page.mouse.up();
    await review.settled();
    expect((await review.current()).caption).toBe(to);
    expect(await review.read('.clock')).toStartWith(position(cueAt(to).start));
  }
});

describe('a review open in two tabs', () => {
  let talk: ReviewRun | null = null;

  /** A review in one tab. */
  async function first(): Promise<ReviewPage> {
    talk ??= await bench.run();
    return bench.open(talk);
  }

  /** The same review in another tab of the same browser; `window` opens it in a separate window. */
  async function another(
    review: ReviewPage,
    { window = false, at = review.page.url() } = {},
  ): Promise<ReviewPage> {
    const context = review.page.browserContext();
    const page = window ? await newWindow(review) : await context.newPage();
    page.setDefaultTimeout(180_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await rememberFiles(page);
    await keepFromService(page);
    await page.goto(at);
    await page.waitForSelector('.cue');
    return new ReviewPage({ page, faults });
  }

  async function newWindow(review: ReviewPage): Promise<Page> {
    const context = review.page.browserContext();
    const opened = new Promise<Page>((found) => {
      context.once('targetcreated', (target) => {
        void target.page().then((page) => page && found(page));
      });
    });
    await review.page.evaluate(() =>
      open('about:blank', '_blank', 'popup,noopener,width=900,height=700'),
    );
    return opened;
  }

  /** A tab in the background renders no frames, so it is polled. */
  const POLLING = { polling: 50 } as const;
  const follows = ({ page }: ReviewPage): Promise<unknown> =>
    page.waitForFunction(() => document.querySelector('.tab-notice') !== null, POLLING);
  const writes = ({ page }: ReviewPage): Promise<unknown> =>
    page.waitForFunction(() => !document.querySelector('.tab-notice'), POLLING);
  /** Waits until a tab shows a text in a caption, or no longer shows it. */
  const shown = (
    review: ReviewPage,
    caption: number,
    words: string,
    isThere = true,
  ): Promise<unknown> =>
    review.page.waitForFunction(
      (selector, wanted, expected) =>
        document.querySelector<HTMLTextAreaElement>(selector)?.value.includes(wanted) === expected,
      POLLING,
      review.field(caption),
      words,
      isThere,
    );
  const typeIn = async (review: ReviewPage, caption: number, words: string): Promise<void> => {
    await review.page.bringToFront();
    await review.type(caption, words);
  };

  needsChromium('the second tab follows live, writes nothing, and can take over', async () => {
    const one = await first();
    await typeIn(one, 1, ' ONE');
    const two = await another(one);
    await follows(two);
    expect(await two.text(1)).toEndWith(' ONE');
    // Typing there has no effect, and a message explains why.
    await typeIn(two, 2, ' nothing');
    await two.keys('Alt+KeyM');
    expect(await two.said()).toBe(text.review.elsewhere);
    expect(await two.text(2)).not.toContain('nothing');

    await typeIn(one, 1, ' more');
    await shown(two, 1, ' ONE more');
    await one.keys('Control+KeyZ');
    await shown(two, 1, 'more', false);

    await two.page.bringToFront();
    await press(two.page, saveText.editHere);
    await writes(two);
    await follows(one);
    await typeIn(two, 2, ' TWO');
    await shown(one, 2, ' TWO');
    // The turn goes back again.
    await one.page.bringToFront();
    await press(one.page, saveText.editHere);
    await writes(one);
    await typeIn(one, 3, ' THREE');
    await shown(two, 3, ' THREE');
    const edited = await one.srt();
    expect([one.faults, two.faults]).toEqual([[], []]);
    await one.page.reload();
    await one.page.waitForSelector('.cue');
    for (const words of [' ONE', ' TWO', ' THREE']) expect(edited).toContain(words);
    expect(await two.text(2)).toEndWith(' TWO');
    await one.close();
  });

  needsChromium('a tab that is killed loses nothing, and the other goes on', async () => {
    const one = await first();
    const two = await another(one, { window: true });
    await follows(two);
    await typeIn(one, 1, ' before');
    await one.page.keyboard.type(' death');
    // Crashes the tab's process, so that none of its code runs any more.
    const session = await one.page.createCDPSession();
    void session.send('Page.crash').catch(() => {});
    await writes(two);
    await shown(two, 1, ' before death');
    await typeIn(two, 1, ' after');
    const three = await another(two);
    await follows(three);
    expect(await three.text(1)).toEndWith(' before death after');
    await two.close();
  });

  needsChromium('a page that returns from the cache joins the other tabs', async () => {
    const one = await first();
    await typeIn(one, 1, ' kept');
    await one.page.evaluate(() => {
      Object.assign(globalThis, { isSamePage: true });
    });
    const address = one.page.url();
    await one.page.goto(`${new URL(address).origin}/guide`);
    const two = await another(one, { at: address });
    await writes(two);
    await typeIn(two, 2, ' meanwhile');
    await one.page.bringToFront();
    await one.page.goBack();
    await one.page.waitForSelector('.cue');
    // The page is restored with everything it had in memory.
    expect(await one.page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    await follows(one);
    await shown(one, 1, ' kept');
    await shown(one, 2, ' meanwhile');
    await press(one.page, saveText.editHere);
    await writes(one);
    await typeIn(one, 3, ' again');
    await shown(two, 3, ' again');
    await one.close();
  });
});
