/** Tasks of an editor's day: open checks, global replacements, speakers, files. */
import { byName, captionsOf, type Task } from './desk-task.ts';
import type { ReviewPage } from './review-page.ts';

const numberIn = async (review: ReviewPage, tab: string): Promise<number> =>
  Number(/\d+/.exec(await review.read(`[data-tab=${tab}]`))?.[0]);

const checked = async (review: ReviewPage): Promise<void> => {
  await review.page.waitForSelector('.rule');
  await review.settled();
};

/** The button appears once the code that fixes captions is loaded. */
const haveFixed = (review: ReviewPage): Promise<unknown> =>
  review.page.waitForFunction(() =>
    /^Fixed \d+ captions?\.$/.test(document.querySelector('.said')?.textContent ?? ''),
  );

/** Waits for the matches, because an expression is tested first. */
const searched = (review: ReviewPage): Promise<unknown> =>
  review.page.waitForFunction(() =>
    / of \d/.test(document.querySelector('.find-count')?.textContent ?? ''),
  );

/** Switches off regular expressions, in case an earlier task left them on. */
async function plainWords(review: ReviewPage): Promise<void> {
  await review.keys('Control+KeyH');
  if (await review.page.$('.find-options label:last-child :checked')) {
    await review.keys('Alt+KeyR');
  }
  await review.keys('Escape');
}

/** The service has stored the pair. */
const remembered = (review: ReviewPage): Promise<unknown> =>
  review.page.waitForFunction(() =>
    document.querySelector('.said')?.textContent?.includes('to the terms of your workspace'),
  );

export const CHECK_TASKS: readonly Task[] = [
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
    name: 'Accept a term everywhere',
    prepare: (review) => review.focus(2),
    keys: (review) => review.keys('Alt+Shift+KeyA'),
    async mouse(review) {
      await review.tab('terms');
      await review.press('Accept all 3');
    },
    async done(review) {
      const words = (await captionsOf(review)).map(({ text }) => text).join(' ');
      return words.split('AuthKit').length === 4 && (await numberIn(review, 'terms')) === 1;
    },
  },
  {
    name: 'Next doubtful word: it is right',
    keys: (review) => review.keys('F9', 'Alt+KeyA'),
    async mouse(review) {
      await review.tab('doubts');
      await review.page.locator('.term [title="It is correct"]').click();
      await review.settled();
    },
    done: async (review) => (await numberIn(review, 'doubts')) === 2,
  },
  {
    name: 'A doubtful word is right everywhere',
    async keys(review) {
      await review.keys('F9', 'F9', 'Alt+Shift+KeyA');
    },
    async mouse(review) {
      await review.tab('doubts');
      await review.press('All 2 are correct');
    },
    done: async (review) => (await numberIn(review, 'doubts')) === 1,
  },
  {
    name: 'Next warning',
    keys: (review) => review.keys('F8'),
    async mouse(review) {
      await review.tab('warnings');
      await review.page.locator('.warnings li button').click();
      await review.settled();
    },
    done: async (review) => (await review.count('.cue.current .cue-warnings li')) > 0,
  },
  {
    name: 'Fix all warnings that can be',
    prepare: (review) => review.type(3, ' and this makes it a good deal longer than it should be'),
    keys: (review) => review.keys('Alt+Shift+KeyF'),
    async mouse(review) {
      await review.tab('warnings');
      await review.press('Fix all that can be fixed');
    },
    done: haveFixed,
  },
  {
    name: 'Check against Netflix’s rules, and fix all',
    async keys(review) {
      await byName(review, 'netf');
      await checked(review);
      await review.keys('Alt+Shift+KeyF');
    },
    async mouse(review) {
      await review.tab('warnings');
      await review.page.waitForSelector('.profile-choice select');
      await review.page.select('.profile-choice select', 'netflix');
      await checked(review);
      await review.press('Fix everything');
    },
    done: haveFixed,
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
    name: 'Replace everywhere, by a regular expression',
    prepare: plainWords,
    async keys(review) {
      await review.keys('Control+KeyH');
      await review.page.keyboard.type(String.raw`\bagent(s?)\b`);
      await review.keys('Tab');
      await review.page.keyboard.type('robot$1');
      await review.keys('Alt+KeyR');
      await searched(review);
      await review.keys('Control+Alt+Enter', 'Escape');
    },
    async mouse(review) {
      await review.press('Find');
      await review.page.keyboard.type(String.raw`\bagent(s?)\b`);
      await review.page.locator('.find-replace input').click();
      await review.page.keyboard.type('robot$1');
      await review.press('Regular expression');
      await searched(review);
      await review.press('Replace all');
      await review.press('Close');
    },
    async done(review) {
      const words = (await captionsOf(review)).map(({ text }) => text).join(' ');
      return words.includes('robots meet') && !/\bagents?\b/.test(words);
    },
  },
  {
    name: 'Replace everywhere, and remember it for the next talks',
    prepare: plainWords,
    async keys(review) {
      await review.keys('Control+KeyH');
      await review.page.keyboard.type('page');
      await review.keys('Tab');
      await review.page.keyboard.type('Paige');
      await review.keys('Control+Alt+Shift+Enter');
      await remembered(review);
      await review.keys('Escape');
    },
    async mouse(review) {
      await review.press('Find');
      await review.page.keyboard.type('page');
      await review.page.locator('.find-replace input').click({ count: 3 });
      await review.page.keyboard.type('Paige');
      await review.press('Replace all and remember');
      await remembered(review);
      await review.press('Close');
    },
    done: async (review) => (await captionsOf(review))[2]?.text.includes('Paige'),
  },
];
