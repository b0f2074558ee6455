/**
 * The tasks of an editor's day at the desk, each done by keys alone and by the mouse: each has its effect, and the
 * focus is never lost.
 */
import { beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { chooseFile } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import {
  captionsOf,
  clicksOf,
  countClicks,
  filesOf,
  seekTo,
  timeOf,
  type Task,
} from '../../support/browser/desk-task.ts';
import { CHECK_TASKS } from '../../support/browser/desk-tasks-check.ts';
import { FILE_TASKS } from '../../support/browser/desk-tasks-files.ts';
import { SOUND_TASKS } from '../../support/browser/desk-tasks-sound.ts';
import { TEXT_TASKS } from '../../support/browser/desk-tasks-text.ts';
import { reviewBench, SHORT_TALK, wordsOf, type ReviewPage } from '../../support/browser/review.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(120_000);

/** Words that the recogniser was unsure of. */
const UNSURE = new Set(['agent', 'copies']);

const bench = await reviewBench();
let review: ReviewPage;
let original: Awaited<ReturnType<typeof captionsOf>>;
beforeAll(async () => {
  if (!bench) return;
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
  for (const task of [...SOUND_TASKS, ...TEXT_TASKS, ...CHECK_TASKS, ...FILE_TASKS]) {
    needsChromium(task.name, async () => {
      await carryOut(task, 'keys');
      await carryOut(task, 'mouse');
      expect(review.faults).toEqual([]);
    });
  }
});
