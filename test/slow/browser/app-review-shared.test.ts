/** A review in several places: two browsers, its journal after a reload, and a talk of two hours. */
import { beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import {
  reviewBench,
  type ReviewPage,
  type ReviewRun,
  SHORT_TALK,
  wordsOf,
} from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';
import { rounds } from '../../support/fuzz.ts';
import { until } from '../../support/servers/client.ts';

setDefaultTimeout(600_000);

const bench = await reviewBench();

/** A page in the background renders no frames, so it is polled. */
const POLLING = { polling: 50 } as const;

const isSaved = ({ page }: ReviewPage): Promise<unknown> =>
  page.waitForFunction(
    (says) => document.querySelector<HTMLElement>('.saving')?.innerText === says,
    POLLING,
    saveText.saved,
  );
/** Waits until a caption contains some words. */
const has = (review: ReviewPage, caption: number, words: string): Promise<unknown> => {
  const field = `document.querySelector(${JSON.stringify(review.field(caption))})`;
  return review.page.waitForFunction(`${field}?.value.includes(${JSON.stringify(words)})`, POLLING);
};
const typeIn = async (review: ReviewPage, caption: number, words: string): Promise<void> => {
  await review.page.bringToFront();
  await review.type(caption, words);
};

needsChromium('two browsers edit one review, and neither overwrites the other', async () => {
  const run = await bench.run();
  const served = async (): Promise<string> =>
    (await bench.client.get(`/workflows/captioner/${run.runId}/captions.srt`)).text();
  const ann = await bench.open(run, { shared: true });
  await typeIn(ann, 1, ' ONE');
  await isSaved(ann);
  expect(await served()).toContain(' ONE');

  const ben = await bench.open(run, { shared: true });
  await has(ben, 1, ' ONE');
  await typeIn(ben, 2, ' TWO');
  await isSaved(ben);

  // Ann's save comes after Ben's, so his is merged into hers first.
  await typeIn(ann, 3, ' THREE');
  await shows(ann.page, saveText.news(1));
  await has(ann, 2, ' TWO');
  await isSaved(ann);
  for (const words of [' ONE', ' TWO', ' THREE']) expect(await served()).toContain(words);
  await press(ann.page, saveText.dismiss);

  // Speakers are shared as well; Ben gets the name while he is typing.
  const speaks = async (): Promise<string[]> => {
    const path = `/workflows/captioner/${run.runId}/review`;
    const { cues, speakers } = await (await bench.client.get(path)).json();
    return [cues[0].speaker ?? '', ...speakers.map(({ name }: { name: string }) => name)];
  };
  await ann.page.click(ann.field(1));
  await ann.tab('speakers');
  await ann.page.waitForSelector('.new-speaker input');
  await ann.fill('.new-speaker input', 'Ada');
  await until(async () => (await speaks()).join() === 'Ada,Ada');
  await typeIn(ben, 2, ' too');
  await ben.page.waitForFunction(
    () => document.querySelector<HTMLElement>('.cue-speakers')?.innerText === 'Ada',
    POLLING,
  );
  await isSaved(ben);
  expect(await speaks()).toEqual(['Ada', 'Ada']);
  await press(ben.page, saveText.dismiss);

  // Both edit the same caption, Ann while offline.
  await ann.page.setOfflineMode(true);
  await typeIn(ann, 4, ' of Ann');
  await shows(ann.page, saveText.here);
  await typeIn(ben, 4, ' of Ben');
  await isSaved(ben);
  await ann.page.bringToFront();
  await ann.page.setOfflineMode(false);
  await shows(ann.page, saveText.conflict(1));
  expect(await served()).toContain(' of Ben');
  await press(ann.page, saveText.compare);
  await ann.page.waitForSelector('.two-versions');
  await expectToLookWell(ann.page, 'review-shared');
  await press(ann.page, saveText.keepMine.slice(0, 9), 'dialog');
  await press(ann.page, text.close, 'dialog');
  await isSaved(ann);
  const after = await served();
  expect([after.includes(' of Ann'), after.includes(' of Ben')]).toEqual([true, false]);

  // Edits made right before closing the page are saved.
  await typeIn(ann, 5, ' at last');
  await ann.page.goto(`${bench.server.url}/guide`);
  await ben.page.bringToFront();
  await ben.page.reload();
  await has(ben, 5, ' at last');
  expect(await ben.text(4)).toEndWith(' of Ann');
  const offline = 'console: Failed to load resource: net::ERR_INTERNET_DISCONNECTED';
  expect([ann.faults.filter((fault) => fault !== offline), ben.faults]).toEqual([[], []]);
  await ann.close();
  await ben.close();
});

describe('the journal of a review', () => {
  /** Pseudo-random numbers, the same in every run of the test. */
  function numbers(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  const count = (review: ReviewPage): Promise<number> =>
    review.page.$eval('.cue', (row) => Number(row.getAttribute('aria-setsize')));

  /** A random edit of a random caption, made like a user. */
  async function editAnything(review: ReviewPage, next: (below: number) => number): Promise<void> {
    const caption = 1 + next(await count(review));
    await review.focus(caption, 3 + next(20));
    const kinds: (() => Promise<unknown>)[] = [
      () => review.type(caption, ` w${next(1000)}`),
      () => review.keys('Alt+Enter'),
      () => review.keys('Alt+KeyM'),
      () => review.keys('Alt+KeyI'),
      () => review.keys('Alt+Delete'),
      () => review.keys('Alt+Shift+ArrowRight'),
      () => review.keys('Alt+Shift+ArrowLeft'),
      () => review.keys('Alt+Shift+ArrowDown'),
      () => review.keys('Alt+KeyB'),
      () => review.keys(next(2) === 0 ? 'Alt+KeyA' : 'Alt+KeyR'),
      () => review.keys('Shift+Enter', 'Backspace', 'KeyX'),
      () => review.keys('Alt+BracketRight'),
    ];
    await kinds[next(kinds.length)]?.();
  }

  /** Presses a key until there is nothing more to do and its button is disabled. */
  async function exhaust(review: ReviewPage, chord: 'undo' | 'redo'): Promise<number> {
    const button = chord === 'undo' ? 'Undo' : 'Redo';
    const { keyboard } = review.page;
    const isOff = () =>
      review.page.$$eval(
        '.tools button',
        (all, name) =>
          all.find((found) => found.textContent === name)?.getAttribute('aria-disabled') === 'true',
        button,
      );
    await keyboard.down('Control');
    if (chord === 'redo') await keyboard.down('Shift');
    let presses = 0;
    while (!(await isOff())) {
      await keyboard.press('KeyZ');
      if ((presses += 1) > 1000) throw new Error('it does not come to an end');
    }
    await keyboard.up('Shift');
    await keyboard.up('Control');
    return presses;
  }

  needsChromium(
    'random edits, undone to the start, give the identical SRT; done again, too',
    async () => {
      // Long enough that something remains to edit after merging and deleting.
      bench.hear(wordsOf(Array.from({ length: 8 }, () => SHORT_TALK).flat()));
      const run = await bench.run();
      bench.hear(wordsOf(SHORT_TALK));
      const review = await bench.open(run);
      expect(await review.srt()).toBe(run.srt);
      const next = numbers(9);
      for (let edit = 0; edit < rounds(12); edit += 1) await editAnything(review, next);
      const edited = await review.srt();
      expect(edited).not.toBe(run.srt);
      const undone = await exhaust(review, 'undo');
      expect(undone).toBeGreaterThan(rounds(12) / 2);
      expect(await review.srt()).toBe(run.srt);
      expect(await exhaust(review, 'redo')).toBe(undone);
      expect(await review.srt()).toBe(edited);

      // Everything is still there after a reload.
      await review.page.reload();
      await review.page.waitForSelector('.cue');
      expect(await review.srt()).toBe(edited);
      expect(await exhaust(review, 'undo')).toBe(undone);
      expect(await review.srt()).toBe(run.srt);
      expect(review.faults).toEqual([]);
      await review.close();
    },
  );

  needsChromium('a reload in the middle of a word loses nothing', async () => {
    const run = await bench.run();
    const review = await bench.open(run);
    const name = await review.read('.desk-title h1');
    for (let round = 0; round < 4; round += 1) {
      await review.focus(2);
      await review.page.keyboard.type(` round${round}`);
      // Immediately, without waiting.
      await review.page.reload({ waitUntil: 'load' });
      await review.page.waitForSelector('.cue');
      expect(await review.text(2)).toEndWith(` round${round}`);
    }
    // The name of a run that was started elsewhere too.
    expect([name, await review.read('.desk-title h1')]).toEqual(['talk', 'talk']);
    await exhaust(review, 'undo');
    expect(await review.srt()).toBe(run.srt);
    await review.close();
  });

  needsChromium('a review opens without a key, from what the browser keeps', async () => {
    const run = await bench.run();
    const review = await bench.open(run);
    await review.type(1, ' kept');
    const edited = await review.srt();
    const other = await review.page.browserContext().newPage();
    // The other tab opens without a session, and must not request the review; once it has been given one, it may
    // follow the comments and the state of the review, and look for its sound.
    const asked: string[] = [];
    other.on('request', (request) => {
      if (/\/workflows\/.*(?<!\/comments|\/media|\/review-state)$/.test(request.url()))
        asked.push(request.url());
    });
    await other.goto(review.page.url());
    await other.waitForSelector('.cue');
    const text = await other.$eval('.cue textarea', (field) => field.value);
    expect(edited).toContain(text.split('\n')[0] ?? '');
    expect(text).toEndWith(' kept');
    expect(asked).toEqual([]);
    await review.close();
  });
});

describe('a talk of two hours with three thousand captions', () => {
  const HOURS = 2;

  /** The short talk repeated for two hours, at a pace that gives three thousand captions. */
  function longTalk(): TranscriptWord[] {
    const once = wordsOf(SHORT_TALK, 0.1);
    const length = (once.at(-1)?.end ?? 0) + 0.1;
    return Array.from({ length: Math.ceil((HOURS * 3600) / length) }, (_, at) =>
      once.map((word) => ({
        ...word,
        start: Math.round((word.start + at * length) * 1000) / 1000,
        end: Math.round((word.end + at * length) * 1000) / 1000,
      })),
    ).flat();
  }

  let run: ReviewRun;
  let review: ReviewPage;
  beforeAll(async () => {
    bench.hear(longTalk());
    run = await bench.run();
    review = await bench.open(run);
  });

  const rowsInPage = (): Promise<number> => review.count('.cue');

  needsChromium(
    'few rows are in the page wherever it is scrolled, and the last one is at its end',
    async () => {
      expect(run.cues.length).toBeGreaterThan(2000);
      const most: number[] = [];
      for (let part = 0; part <= 10; part += 1) {
        await review.page.$eval(
          '.cue-list',
          (list, to) => list.scrollTo(0, to * list.scrollHeight),
          part / 10,
        );
        await review.settled();
        most.push(await rowsInPage());
      }
      expect(Math.max(...most)).toBeLessThan(60);
      expect(Math.min(...most)).toBeGreaterThan(5);
      await review.page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight));
      await review.settled();
      const last = await review.page.$eval(`[aria-posinset="${run.cues.length}"]`, (row) => {
        const list = row.closest('.cue-list')?.getBoundingClientRect();
        return (list?.bottom ?? 0) - row.getBoundingClientRect().bottom;
      });
      expect(Math.abs(last)).toBeLessThan(4);
      expect(await review.text(run.cues.length)).toBe(run.cues.at(-1)?.text ?? '');
    },
  );

  needsChromium(
    'the caption in which the user types does not move, and no letter is lost',
    async () => {
      await review.focus(1500);
      const top = () => review.page.$eval('.cue.current', (row) => row.getBoundingClientRect().top);
      const before = await top();
      const typed = ' it is typed here, without any haste, a word after a word.';
      await review.page.keyboard.type(typed);
      expect(await review.text(1500)).toEndWith(typed);
      expect(Math.abs((await top()) - before)).toBeLessThan(2);
    },
  );

  needsChromium(
    'the row that is typed in keeps the focus, however far the list is scrolled',
    async () => {
      await review.focus(1500);
      await review.page.$eval('.cue-list', (list) => list.scrollTo(0, 0));
      await review.settled();
      expect((await review.current()).typing).toBe(true);
      await review.page.keyboard.type('far');
      await review.page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight));
      await review.settled();
      expect(await review.current()).toMatchObject({ caption: 1500, typing: true });
      expect(await review.text(1500)).toContain('far');
    },
  );
});
