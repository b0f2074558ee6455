/** Tasks of an editor’s day at the desk, each done by keys alone and by the mouse: each has its effect, and the focus is never lost. */
import { beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { chooseFile, openApp, press } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { reviewBench, ReviewPage, SHORT_TALK, wordsOf } from '../../support/browser/review.ts';
import { secondsOf } from '../../support/browser/review-sound.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(180000);

/** The state before a task, to compare with. */
interface Before {
  /** The current captions, as the page shows their times and texts. */
  readonly captions: readonly ShownCaption[];
  readonly time: number;
  /** The number of files offered so far. */
  readonly files: number;
}

/** A caption as its row shows it. */
interface ShownCaption {
  readonly start: string;
  readonly end: string;
  readonly text: string;
}

interface Task {
  readonly name: string;
  /** Prepares the review before the task; not counted. */
  prepare?(review: ReviewPage): Promise<unknown>;
  keys(review: ReviewPage): Promise<unknown>;
  mouse(review: ReviewPage): Promise<unknown>;
  /** Throws, or returns false, if the task is not done. */
  done(review: ReviewPage, before: Before): Promise<unknown>;
}

/** Counts the presses of the mouse in a page. */
const countClicks = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    Object.assign(globalThis, { clicks: 0 });
    const count = () => void ((globalThis as unknown as { clicks: number }).clicks += 1);
    document.addEventListener('pointerdown', count, true);
  });

/** The presses of the mouse since the page was opened. */
const clicksOf = ({ page }: ReviewPage): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);

/** The captions that the page shows; all of them, in a short review. */
const captionsOf = ({ page }: ReviewPage): Promise<ShownCaption[]> =>
  page.$$eval('.cue', (rows) =>
    rows.map((row) => {
      const [start = '', end = ''] = [...row.querySelectorAll<HTMLInputElement>('input.time')].map(
        ({ value }) => value,
      );
      return { start, end, text: row.querySelector('textarea')?.value ?? '' };
    }),
  );

const timeOf = ({ page }: ReviewPage): Promise<number> =>
  page.$eval('video', ({ currentTime }) => currentTime);

const isPlaying = ({ page }: ReviewPage): Promise<boolean> =>
  page.$eval('video', ({ paused }) => !paused);

/** The number of files that the page has offered so far. */
const filesOf = ({ page }: ReviewPage): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length);

/** Waits until the page has made another file, and reads it. */
async function nextFile(review: ReviewPage, before: Before): Promise<string> {
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
async function byName(review: ReviewPage, typed: string): Promise<void> {
  await review.keys('Control+KeyK');
  await review.page.waitForSelector('.palette input:focus');
  await review.page.keyboard.type(typed);
  await review.settled();
  await review.keys('Enter');
}

/** Presses the mouse at a place in the text of a caption. */
async function clickText(review: ReviewPage, caption: number, line = 0): Promise<void> {
  const field = await review.page.$(review.field(caption));
  await field?.click({ offset: { x: 6, y: 10 + line * 24 } });
  await review.settled();
}

/** Moves the playhead, as a click on the timeline does. */
async function seekTo(review: ReviewPage, seconds: number): Promise<void> {
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
async function tabTo(review: ReviewPage, selector: string, back = false): Promise<void> {
  for (let stops = 0; stops < 40; stops += 1) {
    if (await review.page.$(`${selector}:focus`)) return;
    await review.keys(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`Tab does not come to ${selector}`);
}

const at = (clock = 'none'): number => secondsOf(clock);
const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.07;

const plays = async (review: ReviewPage): Promise<boolean> => {
  await review.page.waitForFunction(() => document.querySelector('video')?.paused === false);
  return true;
};

/** Captions 3 to 5. */
const threeByKeys = (review: ReviewPage): Promise<void> =>
  review.keys('Control+Shift+ArrowDown', 'Control+Shift+ArrowDown');
async function threeByMouse(review: ReviewPage): Promise<void> {
  const { keyboard } = review.page;
  await keyboard.down('Control');
  for (const caption of [4, 5]) {
    await review.press(`Caption ${caption}: play from here`, caption);
  }
  await keyboard.up('Control');
  await review.settled();
}

const count = async (review: ReviewPage): Promise<number> => (await captionsOf(review)).length;
const grew =
  (by: number): Task['done'] =>
  async (review, { captions }: Before) =>
    (await count(review)) === captions.length + by;

const numberIn = async (review: ReviewPage, tab: string): Promise<number> =>
  Number(/\d+/.exec(await review.read(`[data-tab=${tab}]`))?.[0]);

/** The spoken text, as a user pastes it. */
const SCRIPT = SHORT_TALK.map(([sentence]) => sentence)
  .join('\n')
  .replace('back', 'again');

const TASKS: readonly Task[] = [
  {
    name: 'Play and pause',
    async keys(review) {
      await review.keys('Control+Space');
      await plays(review);
      await review.keys('Control+Space');
    },
    async mouse(review) {
      await review.press('Play');
      await plays(review);
      await review.press('Pause');
    },
    done: async (review) => !(await isPlaying(review)),
  },
  {
    name: 'Type when a caption starts',
    async keys(review) {
      await review.keys('Tab', 'Tab');
      await review.page.keyboard.type('9,5');
      await review.keys('Enter');
    },
    async mouse(review) {
      await review.page.locator(review.start(3)).click({ count: 3 });
      await review.page.keyboard.type('9,5');
      await review.keys('Enter');
    },
    done: async (review) => (await captionsOf(review))[2]?.start === '00:00:09,500',
  },
  {
    name: 'Shift this caption and all after it back',
    async keys(review) {
      await review.keys('Alt+KeyS');
      await review.page.keyboard.type('-0.2');
      await review.keys('Enter');
    },
    async mouse(review) {
      await review.choose('Timing', 'Shift');
      await review.page.waitForSelector('.shift input:focus');
      await review.page.keyboard.type('-0.2');
      await review.page.locator('.shift [type=submit]').click();
      await review.settled();
    },
    async done(review, { captions }) {
      const now = await captionsOf(review);
      return [2, 5, 8].every((each) => near(at(now[each]?.start), at(captions[each]?.start) - 0.2));
    },
  },
  {
    name: 'On to the next caption, and type',
    async keys(review) {
      await review.keys('Enter');
      await review.page.keyboard.type('So ');
    },
    async mouse(review) {
      await clickText(review, 4);
      await review.keys('Home');
      await review.page.keyboard.type('So ');
    },
    done: async (review) => (await captionsOf(review))[3]?.text.startsWith('So '),
  },
  {
    name: 'Merge with the one before, from the start of the text',
    prepare: (review) => review.focus(3, 0),
    keys: (review) => review.keys('Backspace'),
    async mouse(review) {
      await clickText(review, 2);
      await review.press('Merge');
    },
    done: grew(-1),
  },
  {
    name: 'Three captions: merge',
    async keys(review) {
      await threeByKeys(review);
      await review.keys('Alt+KeyM');
    },
    async mouse(review) {
      await threeByMouse(review);
      await review.press('Merge');
    },
    done: grew(-2),
  },
  {
    name: 'Undo, and redo',
    prepare: (review) => review.type(3, ' indeed'),
    keys: (review) => review.keys('Control+KeyZ', 'Control+Shift+KeyZ'),
    async mouse(review) {
      await review.press('Undo');
      await review.press('Redo');
    },
    done: async (review) => (await captionsOf(review))[2]?.text.endsWith('indeed'),
  },
  {
    name: 'Type over what is selected, with a minus',
    async prepare(review) {
      await review.focus(3, 0);
    },
    async keys(review) {
      await review.keys('Control+Shift+ArrowRight');
      await review.page.keyboard.type('-');
    },
    async mouse(review) {
      const field = await review.page.$(review.field(3));
      await field?.click({ offset: { x: 6, y: 10 }, count: 2 });
      await review.page.keyboard.type('-');
    },
    done: async (review) => /^-\s?reads/.test((await captionsOf(review))[2]?.text ?? ''),
  },
  {
    name: 'Next open term, and accept it',
    async keys(review) {
      await review.keys('F2', 'Alt+KeyA');
    },
    async mouse(review) {
      await review.tab('terms');
      await review.press('Accept: m c p server');
    },
    done: async (review) => (await numberIn(review, 'terms')) === 3,
  },
  {
    name: 'Find a word',
    async keys(review) {
      await review.keys('Control+KeyF');
      await review.page.keyboard.type('log');
      await review.keys('Enter', 'Escape');
    },
    async mouse(review) {
      await review.press('Find');
      await review.page.keyboard.type('log');
      await review.press('Next');
      await review.press('Close');
    },
    done: async (review) => {
      const { caption } = await review.current();
      return (await captionsOf(review))[caption - 1]?.text.includes('the log');
    },
  },
  {
    name: 'Align a script',
    async keys(review) {
      await byName(review, 'align');
      await review.page.waitForSelector('dialog textarea');
      await tabTo(review, 'dialog textarea');
      await review.page.keyboard.sendCharacter(SCRIPT);
      await tabTo(review, 'dialog .primary');
      await review.keys('Enter');
      await tabTo(review, 'dialog > .actions button');
      await review.keys('Enter');
    },
    async mouse(review) {
      await review.choose('More', 'Align a script…');
      await review.page.locator('dialog textarea').click();
      await review.page.keyboard.sendCharacter(SCRIPT);
      await review.press('Align');
      await review.press('Use');
    },
    done: async (review) => (await captionsOf(review))[0]?.text.startsWith('Welcome again'),
  },
  {
    name: 'All commands, and none',
    keys: (review) => review.keys('Control+KeyK', 'Escape'),
    async mouse(review) {
      await review.press('Commands');
      await review.page.mouse.click(20, 450);
      await review.settled();
    },
    done: async (review) => (await review.count('dialog[open]')) === 0,
  },
  {
    name: 'Download SRT',
    keys: (review) => review.keys('Control+KeyS'),
    mouse: (review) => review.press('Download SRT'),
    done: async (review, before) => /^1\r?\n00:00:00,500 --> /.test(await nextFile(review, before)),
  },
];

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
    const video = document.querySelector('video');
    const found = {
      selected: document.querySelector('.cue.selected') !== null,
      sound: video?.paused === false || video?.playbackRate !== 1,
    };
    video?.pause();
    return found;
  });
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
