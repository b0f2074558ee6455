/** The appearance of a review in light and dark, wide and narrow. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { reviewBench, type ReviewPage, type ReviewRun } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();
let talk: ReviewRun | null = null;

async function open(): Promise<ReviewPage> {
  // Uncertain terms are left for review, so that there is something to decide.
  talk ??= await bench.run({ audit: { minConfidence: 0.98 } });
  return bench.open(talk);
}

/** The parts to check, with the way to reach each. */
const PARTS: Record<string, (review: ReviewPage) => Promise<unknown>> = {
  terms: (review) => review.tab('terms'),
  warnings: (review) => review.tab('warnings'),
  rules: async (review) => {
    await review.tab('warnings');
    await review.page.waitForSelector('.profile-choice select');
    await review.page.select('.profile-choice select', 'netflix');
    await review.page.waitForSelector('.rule .fix');
  },
  house: async (review) => {
    await review.tab('warnings');
    await review.page.waitForSelector('.profile-choice select');
    await review.press('Your own profiles…');
    await review.page.waitForSelector('dialog #house-which');
  },
  report: (review) => review.tab('report'),
  speakers: async (review) => {
    await review.tab('speakers');
    await review.page.waitForSelector('.new-speaker input');
    for (const name of ['Ada Lovelace', 'Grace Hopper']) {
      await review.fill('.new-speaker input', name);
      await review.focus(2);
    }
  },
  find: async (review) => {
    await review.keys('Control+KeyF');
    await review.page.keyboard.type('the');
  },
  replace: (review) => review.press('Find'),
  compare: async (review) => {
    await review.type(2, ' and more');
    await review.keys('Alt+KeyM');
    await review.press('Compare');
  },
  keys: (review) => review.press('Shortcuts'),
  'download-menu': (review) => review.press('Download as another format'),
  'more-menu': (review) => review.press('More'),
  rebuild: async (review) => {
    await review.choose('More', 'Rebuild captions…');
    await review.page.waitForSelector('dialog .number');
  },
  script: async (review) => {
    await review.choose('More', 'Align a script…');
    await review.page.waitForSelector('dialog textarea');
    await review.page.type('dialog textarea', 'Welcome back to this night, where agents meet you.');
    await review.press('Align');
  },
  shift: (review) => review.choose('Timing', 'Shift'),
  warned: async (review) => {
    await review.focus(1);
    await review.keys('F8');
  },
  'time-that-is-none': (review) => review.fill(review.start(1), 'soon'),
};

/** The parts that share a page, one after the other. */
const PAGES = [
  ['terms', 'warnings', 'report', 'rules'],
  ['house', 'keys', 'rebuild', 'script'],
  ['find', 'replace', 'download-menu', 'more-menu', 'shift', 'warned'],
  ['speakers', 'compare', 'time-that-is-none'],
];

test('every part is looked at', () => {
  expect(PAGES.flat().toSorted()).toEqual(Object.keys(PARTS).toSorted());
});

for (const names of PAGES) {
  needsChromium(
    `${names.join(', ')}: pass WCAG 2.2 AA, fit and load from here alone, in every look`,
    async () => {
      const review = await open();
      for (const name of names) {
        await PARTS[name]!(review);
        await expectToLookWell(review.page, `review-${name}`);
        await review.keys('Escape', 'Escape');
      }
      expect(review.faults).toEqual([]);
      await review.close();
    },
  );
}
