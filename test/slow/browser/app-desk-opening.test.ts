/**
 * Opening captions with their video, by keys alone and by the mouse, and a video for captions that are
 * open: from the browser's dialog to the first word typed and the file saved.
 */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { openApp, press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import {
  clicksOf,
  clickText,
  countClicks,
  nextFile,
  type Task,
} from '../../support/browser/desk-task.ts';
import { rememberFiles, ReviewPage } from '../../support/browser/review-page.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { sample } from '../../support/sample.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(180_000);

const server = await testServer();
const { browser, folder } = await testBrowser();
const srt = join(folder, 'Talk.srt');
await Bun.write(
  srt,
  '1\n00:00:01,000 --> 00:00:03,000\nHello there.\n\n2\n00:00:04,000 --> 00:00:06,000\nBye.\n',
);

/** The start page, whose clicks are counted. */
async function startPage(): Promise<ReviewPage> {
  const visit = await openApp(browser(), server.url, {
    async before(page) {
      await countClicks(page);
      await rememberFiles(page);
    },
  });
  await visit.page.waitForSelector('.start');
  return new ReviewPage(visit);
}

/** Chooses files in the dialog that an action opens. */
async function choose(
  { page }: ReviewPage,
  act: () => Promise<unknown>,
  ...paths: string[]
): Promise<void> {
  const waits = page.waitForFileChooser({ timeout: 20_000 });
  // The browser knows that the dialog is intercepted before it is to open it.
  await page.evaluate(() => {});
  const [dialog] = await Promise.all([waits, act()]);
  await dialog.accept(paths);
}

const plays = ({ page }: ReviewPage): Promise<unknown> =>
  page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 1);
const none = { captions: [], time: 0, files: 0 };

interface Opening extends Omit<Task, 'done'> {
  done(review: ReviewPage): Promise<unknown>;
}

/** The address of the captions opened first. */
let first = '';

const OPENINGS: readonly Opening[] = [
  {
    name: 'Open an SRT with its video, type, save',
    async keys(review) {
      await choose(review, () => review.keys('Control+KeyO'), srt, sample);
      await review.page.waitForSelector('.cue textarea');
      await review.keys('Enter');
      await review.page.keyboard.type('!');
      await review.keys('Control+KeyS');
    },
    async mouse(review) {
      await choose(review, () => press(review.page, 'Choose a file'), srt, sample);
      await review.page.waitForSelector('.cue textarea');
      await clickText(review, 1);
      await review.keys('End');
      await review.page.keyboard.type('!');
      await review.press('Download SRT');
    },
    async done(review) {
      await plays(review);
      expect(await nextFile(review, none)).toContain('Hello there.!');
    },
  },
  {
    name: 'Open the video of captions that are open',
    async prepare(review) {
      await choose(review, () => review.keys('Control+KeyO'), srt);
      await review.page.waitForSelector('.cue textarea');
    },
    keys: (review) => choose(review, () => review.keys('Control+KeyO'), sample),
    mouse: (review) => choose(review, () => press(review.page, 'Open the recording'), sample),
    async done(review) {
      await plays(review);
      // Keys still work: this one starts the recording.
      await review.keys('Control+Space');
      await review.page.waitForFunction(() => document.querySelector('video')?.paused === false);
    },
  },
  {
    name: 'On to another file',
    async prepare(review) {
      await Bun.write(join(folder, 'Next.srt'), '1\n00:00:01,000 --> 00:00:03,000\nNext.\n');
      await choose(review, () => review.keys('Control+KeyO'), srt, sample);
      await review.page.waitForSelector('.cue textarea');
      await review.type(1, ' Kept.');
      first = review.page.url();
    },
    keys: (review) => choose(review, () => review.keys('Control+KeyO'), join(folder, 'Next.srt')),
    async mouse(review) {
      await press(review.page, 'New');
      await choose(review, () => press(review.page, 'Choose a file'), join(folder, 'Next.srt'));
    },
    async done(review) {
      await review.page.waitForFunction(
        () => document.querySelector('textarea')?.value === 'Next.',
      );
      // The text typed in the previous review is still there.
      await review.page.goto(first);
      await review.page.waitForFunction(() =>
        document.querySelector('textarea')?.value.includes('Kept.'),
      );
    },
  },
];

describe('by keyboard only and by mouse', () => {
  for (const opening of OPENINGS) {
    needsChromium(opening.name, async () => {
      for (const way of ['keys', 'mouse'] as const) {
        const review = await startPage();
        await opening.prepare?.(review);
        const clicks = await clicksOf(review);
        await opening[way](review);
        if (way === 'keys') expect(await clicksOf(review)).toBe(clicks);
        await opening.done(review);
        expect(review.faults).toEqual([]);
        await review.close();
      }
    });
  }

  needsChromium('Tab comes to the field for files, and Enter opens the dialog', async () => {
    const review = await startPage();
    for (let stops = 0; !(await review.page.$('input[type=file]:focus')); stops += 1) {
      expect(stops).toBeLessThan(12);
      await review.keys('Tab');
    }
    await choose(review, () => review.keys('Enter'), srt);
    await review.page.waitForSelector('.cue textarea');
    expect(review.faults).toEqual([]);
    await review.close();
  });
});
