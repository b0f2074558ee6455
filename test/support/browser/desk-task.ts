/** One task of an editor's day, done with the keyboard only and with the mouse only. */
import type { Page } from 'puppeteer-core';
import { press } from './app.ts';
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
  /** How Subtitle Edit does the same with its default keys; a menu where it has no key. */
  readonly subtitleEdit: string;
  /** Prepares the review before the task; not counted. */
  prepare?(review: ReviewPage): Promise<unknown>;
  keys(review: ReviewPage): Promise<unknown>;
  mouse(review: ReviewPage): Promise<unknown>;
  /** Throws, or returns false, if the task is not done. */
  done(review: ReviewPage, before: Before): Promise<unknown>;
}

/** Counts the user's actions in the page: key presses except for modifiers, and mouse presses. */
export async function countHands(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    const hands = { keys: 0, clicks: 0 };
    Object.assign(globalThis, { hands });
    const isModifier = (key: string) => ['Control', 'Alt', 'Shift', 'Meta'].includes(key);
    document.addEventListener(
      'keydown',
      ({ key }) => void (hands.keys += isModifier(key) ? 0 : 1),
      true,
    );
    document.addEventListener('pointerdown', () => void (hands.clicks += 1), true);
  });
}

/** The actions and the time that a task took. */
export interface Took extends Hands {
  ms: number;
}

interface Hands {
  keys: number;
  clicks: number;
}

/** Counts and times the actions in a page. */
export async function taken(page: Page, act: () => Promise<unknown>): Promise<Took> {
  const hands = await handsOf(page);
  const began = performance.now();
  await act();
  const ms = performance.now() - began;
  const after = await handsOf(page);
  return { keys: after.keys - hands.keys, clicks: after.clicks - hands.clicks, ms };
}

/** The row of a task in the table. */
export function rowOf(
  { name, subtitleEdit }: Pick<Task, 'name' | 'subtitleEdit'>,
  keys: Took,
  mouse: Took,
): string {
  const also = mouse.keys > 0 ? ` (${mouse.keys})` : '';
  const seconds = ({ ms }: Took) => `${(ms / 1000).toFixed(1)} s`;
  return `| ${name} | ${keys.keys} | ${seconds(keys)} | ${mouse.clicks}${also} | ${seconds(mouse)} | ${subtitleEdit} |`;
}

const HEAD = [
  '| Task | Keys | Time | Clicks (and keys) | Time | Subtitle Edit 4 |',
  '| --- | --: | --: | --: | --: | --- |',
];

/** Adds rows to the table in the file DESK_TASKS, if that is set. */
export async function writeRows(rows: readonly string[]): Promise<void> {
  const path = process.env['DESK_TASKS'];
  if (!path) return;
  const before = await Bun.file(path)
    .text()
    .catch(() => `${HEAD.join('\n')}\n`);
  await Bun.write(path, `${before}${rows.join('\n')}\n`);
}

/** The counts since the page was opened. */
const handsOf = (page: Page): Promise<Hands> =>
  page.evaluate(() => {
    const { hands } = globalThis as unknown as { hands: { keys: number; clicks: number } };
    return { keys: hands.keys, clicks: hands.clicks };
  });

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

/** Runs a command by clicking its name in the palette. */
export async function byList(review: ReviewPage, says: string): Promise<void> {
  await review.press('Commands');
  await press(review.page, says, '.palette');
  await review.settled();
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
