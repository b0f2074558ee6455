/** The journal of a review: undo reaches back to the start, and reloading in the middle of a word loses nothing. */
import { expect, setDefaultTimeout } from 'bun:test';
import { needsChromium } from '../../support/browser/chromium.ts';
import { rounds } from '../../support/fuzz.ts';
import {
  reviewBench,
  SHORT_TALK,
  wordsOf,
  type ReviewBench,
  type ReviewPage,
} from '../../support/browser/review.ts';

setDefaultTimeout(600_000);

const started = await reviewBench();
const bench = (): ReviewBench => {
  if (!started) throw new Error('there is no Chromium');
  return started;
};

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
    bench().hear(wordsOf(Array.from({ length: 8 }, () => SHORT_TALK).flat()));
    const run = await bench().run();
    bench().hear(wordsOf(SHORT_TALK));
    const review = await bench().open(run);
    expect(await review.srt()).toBe(run.srt);
    const next = numbers(9);
    for (let edit = 0; edit < rounds(20); edit += 1) await editAnything(review, next);
    const edited = await review.srt();
    expect(edited).not.toBe(run.srt);
    const undone = await exhaust(review, 'undo');
    expect(undone).toBeGreaterThan(rounds(20) / 2);
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
  const run = await bench().run();
  const review = await bench().open(run);
  const name = await review.read('.desk-title h1');
  for (let round = 0; round < 10; round += 1) {
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
  const run = await bench().run();
  const review = await bench().open(run);
  await review.type(1, ' kept');
  const edited = await review.srt();
  const other = await review.page.browserContext().newPage();
  // The other tab opens without a session, and must not request the review; once it has been given one, it may
  // follow the comments.
  const asked: string[] = [];
  other.on('request', (request) => {
    if (/\/workflows\/.*(?<!\/comments)$/.test(request.url())) asked.push(request.url());
  });
  await other.goto(review.page.url());
  await other.waitForSelector('.cue');
  const text = await other.$eval('.cue textarea', (field) => field.value);
  expect(edited).toContain(text.split('\n')[0] ?? '');
  expect(text).toEndWith(' kept');
  expect(asked).toEqual([]);
  await review.close();
});
