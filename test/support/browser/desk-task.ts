/** One task of an editor's day, done with the keyboard only and with the mouse only. */
import type { Page } from 'puppeteer-core';
import type { ReviewPage } from './review-page.ts';

/** The state before a task, to compare with. */
export interface Before {
  /** The current captions, as the page shows their times and texts. */
  readonly captions: readonly ShownCaption[];
  readonly time: number;
  /** The number of files offered so far. */
  readonly files: number;
}

/** A caption as its row shows it. */
export interface ShownCaption {
  readonly start: string;
  readonly end: string;
  readonly text: string;
}

export interface Task {
  readonly name: string;
  /** Prepares the review before the task; not counted. */
  prepare?(review: ReviewPage): Promise<unknown>;
  keys(review: ReviewPage): Promise<unknown>;
  mouse(review: ReviewPage): Promise<unknown>;
  /** Throws, or returns false, if the task is not done. */
  done(review: ReviewPage, before: Before): Promise<unknown>;
}

/** Counts the presses of the mouse in a page. */
export const countClicks = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    Object.assign(globalThis, { clicks: 0 });
    const count = () => void ((globalThis as unknown as { clicks: number }).clicks += 1);
    document.addEventListener('pointerdown', count, true);
  });

/** The presses of the mouse since the page was opened. */
export const clicksOf = ({ page }: ReviewPage): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);

/** The captions that the page shows; all of them, in a short review. */
export const captionsOf = ({ page }: ReviewPage): Promise<ShownCaption[]> =>
  page.$$eval('.cue', (rows) =>
    rows.map((row) => {
      const [start = '', end = ''] = [...row.querySelectorAll<HTMLInputElement>('input.time')].map(
        ({ value }) => value,
      );
      return { start, end, text: row.querySelector('textarea')?.value ?? '' };
    }),
  );

export const timeOf = ({ page }: ReviewPage): Promise<number> =>
  page.$eval('video', ({ currentTime }) => currentTime);

export const isPlaying = ({ page }: ReviewPage): Promise<boolean> =>
  page.$eval('video', ({ paused }) => !paused);

/** The number of files that the page has offered so far. */
export const filesOf = ({ page }: ReviewPage): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length);

/** Waits until the page has made another file, and reads it. */
export async function nextFile(review: ReviewPage, before: Before): Promise<string> {
  await review.page.waitForFunction(
    (made) => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length > made,
    {},
    before.files,
  );
  return review.page.evaluate(async () => {
    const { filesMade } = globalThis as unknown as { filesMade: Blob[] };
    return (await filesMade.at(-1)?.text()) ?? '';
  });
}

/** Runs a command by typing part of its name into the palette. */
export async function byName(review: ReviewPage, typed: string): Promise<void> {
  await review.keys('Control+KeyK');
  await review.page.waitForSelector('.palette input:focus');
  await review.page.keyboard.type(typed);
  await review.settled();
  await review.keys('Enter');
}

/** Presses the mouse at a place in the text of a caption. */
export async function clickText(review: ReviewPage, caption: number, line = 0): Promise<void> {
  const field = await review.page.$(review.field(caption));
  await field?.click({ offset: { x: 6, y: 10 + line * 24 } });
  await review.settled();
}

/** Moves the playhead, as a click on the timeline does. */
export async function seekTo(review: ReviewPage, seconds: number): Promise<void> {
  await review.page.$eval(
    'input.seek',
    (field, to) => {
      field.value = String(to);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    },
    seconds,
  );
  await review.page.waitForFunction(
    (to) => Math.abs((document.querySelector('video')?.currentTime ?? 0) - to) < 0.06,
    {},
    seconds,
  );
}

/** Presses Tab until an element has the focus. @throws {Error} if it is not reached */
export async function tabTo(review: ReviewPage, selector: string, back = false): Promise<void> {
  for (let stops = 0; stops < 40; stops += 1) {
    if (await review.page.$(`${selector}:focus`)) return;
    await review.keys(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`Tab does not come to ${selector}`);
}
