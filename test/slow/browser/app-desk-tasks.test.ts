/** Tasks of an editor’s day at the desk, each done by keys alone and by the mouse: each has its effect, and the focus is never lost. */
import { beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { chooseFile, openApp, press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import {
  captionsOf,
  clicksOf,
  clickText,
  countClicks,
  filesOf,
  nextFile,
  seekTo,
  type Task,
  timeOf,
} from '../../support/browser/desk-task.ts';
import { TASKS } from '../../support/browser/desk-tasks.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { reviewBench, ReviewPage, SHORT_TALK, wordsOf } from '../../support/browser/review.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(180000);

/** Words that the recogniser was unsure of. */
const UNSURE = new Set(['agent', 'copies']);

const bench = await reviewBench();
let review: ReviewPage;
let original: Awaited<ReturnType<typeof captionsOf>>;
beforeAll(async () => {
  const heard = wordsOf(SHORT_TALK).map((word) => ({
    ...word,
    confidence: UNSURE.has(word.text) ? 0.3 : 0.95,
  }));
  bench.hear(heard);
  review = await bench.open(await bench.run({ audit: { minConfidence: 0.98 } }), {
    before: async (page) => void (await countClicks(page)),
  });
  // Tall enough for all captions to be in the page.
  await review.page.setViewport({ width: 1440, height: 1700 });
  await chooseFile(review.page, sample);
  await review.page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 1);
  await review.settled();
  original = await captionsOf(review);
});

/** Puts everything back: nothing edited, nothing chosen, the cursor at the end of caption 3. */
async function begin(): Promise<void> {
  const { page } = review;
  const left = await page.evaluate(() => {
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
    document.querySelector<HTMLElement>('.find-bar [aria-label=Close]')?.click();
    const terms = document.querySelector<HTMLElement>('[data-tab=terms]');
    const video = document.querySelector('video');
    const found = {
      rules:
        (document.querySelector<HTMLSelectElement>('.profile-choice select')?.value ?? '') !== '',
      selected: document.querySelector('.cue.selected') !== null,
      sound: video?.paused === false || video?.playbackRate !== 1,
    };
    video?.pause();
    if (!found.rules) terms?.click();
    return found;
  });
  if (left.rules) {
    await page.select('.profile-choice select', '');
    await page.locator('[data-tab=terms]').click();
  }
  if (left.sound) {
    await review.keys('Alt+KeyK');
    await page.select('.controls select', '1');
  }
  const canUndo = () =>
    page.$eval('[aria-label=Undo]', (tool) => tool.getAttribute('aria-disabled') !== 'true');
  for (let step = 0; step < 40 && (await canUndo()); step += 1) await review.keys('Control+KeyZ');
  await review.focus(3);
  if (left.selected) {
    await review.keys('Escape');
    await review.focus(3);
  }
  if (Math.abs((await timeOf(review)) - 9) > 0.05) await seekTo(review, 9);
  expect(await captionsOf(review)).toEqual(original);
}

/** Carries out a task with the keyboard or the mouse. */
async function carryOut(task: Task, way: 'keys' | 'mouse'): Promise<void> {
  await begin();
  await task.prepare?.(review);
  const before = {
    captions: await captionsOf(review),
    time: await timeOf(review),
    files: await filesOf(review),
  };
  const clicks = await clicksOf(review);
  await task[way](review);
  if (way === 'keys') expect(await clicksOf(review)).toBe(clicks);
  expect(await review.page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  const isDone = await task.done(review, before);
  expect(isDone).not.toBe(false);
}

describe('by keyboard only and by mouse', () => {
  for (const task of TASKS) {
    needsChromium(task.name, async () => {
      await carryOut(task, 'keys');
      await carryOut(task, 'mouse');
      expect(review.faults).toEqual([]);
    });
  }
});

describe('app desk opening', async () => {
  const { server, folder } = bench;
  const srt = join(folder, 'Talk.srt');
  await Bun.write(
    srt,
    '1\n00:00:01,000 --> 00:00:03,000\nHello there.\n\n2\n00:00:04,000 --> 00:00:06,000\nBye.\n',
  );

  /** The start page, whose clicks are counted. */
  async function startPage(): Promise<ReviewPage> {
    const visit = await openApp(bench.browser, server.url, {
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
});
