/** A review open in two tabs: one writes, the other follows, and no edit is lost. */
import { expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { tabText } from '../../../web/texts/desk-parts.ts';
import { text } from '../../support/browser/words.ts';
import { press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { keepFromService, rememberFiles } from '../../support/browser/review-page.ts';
import { reviewBench, ReviewPage, type ReviewRun } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();
let talk: ReviewRun | null = null;

/** A review in one tab. */
async function first(): Promise<ReviewPage> {
  if (!bench) throw new Error('there is no Chromium');
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
  await press(two.page, tabText.editHere);
  await writes(two);
  await follows(one);
  await typeIn(two, 2, ' TWO');
  await shown(one, 2, ' TWO');
  // The turn goes back again.
  await one.page.bringToFront();
  await press(one.page, tabText.editHere);
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

needsChromium('of three tabs the one that asks comes first', async () => {
  const one = await first();
  const two = await another(one);
  const three = await another(one);
  await follows(two);
  await follows(three);
  await three.page.bringToFront();
  await press(three.page, tabText.editHere);
  await writes(three);
  await follows(one);
  await follows(two);
  await typeIn(three, 4, ' third');
  await shown(one, 4, ' third');
  await shown(two, 4, ' third');
  // A tab that leaves the review lets the next one write.
  await three.page.evaluate(() => {
    location.hash = '#/';
  });
  await Promise.race([writes(one), writes(two)]);
  await one.close();
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
  await press(one.page, tabText.editHere);
  await writes(one);
  await typeIn(one, 3, ' again');
  await shown(two, 3, ' again');
  await one.close();
});
