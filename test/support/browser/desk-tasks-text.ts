/** Tasks of an editor's day: the text of captions, one and several of them. */
import { byName, captionsOf, clickText, type Before, type Task } from './desk-task.ts';
import type { ReviewPage } from './review-page.ts';

const count = async (review: ReviewPage): Promise<number> => (await captionsOf(review)).length;
const grew =
  (by: number): Task['done'] =>
  async (review, { captions }: Before) =>
    (await count(review)) === captions.length + by;

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

export const TEXT_TASKS: readonly Task[] = [
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
    name: 'Split at the cursor',
    prepare: (review) => review.focus(3, 11),
    keys: (review) => review.keys('Alt+Enter'),
    mouse: (review) => review.press('Split'),
    done: grew(1),
  },
  {
    name: 'Merge with the next',
    keys: (review) => review.keys('Alt+KeyM'),
    mouse: (review) => review.press('Merge'),
    done: grew(-1),
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
    name: 'Insert a caption',
    async keys(review) {
      await review.keys('Alt+KeyI');
      await review.page.keyboard.type('Yes.');
    },
    async mouse(review) {
      await review.press('Insert');
      await review.page.keyboard.type('Yes.');
    },
    async done(review, before) {
      return (await captionsOf(review))[3]?.text === 'Yes.' && grew(1)(review, before);
    },
  },
  {
    name: 'Delete a caption',
    keys: (review) => review.keys('Alt+Delete'),
    mouse: (review) => review.press('Delete'),
    done: grew(-1),
  },
  {
    name: 'Italics for the whole caption',
    keys: (review) => review.keys('Control+KeyI'),
    mouse: (review) => review.choose('More', 'Italics'),
    done: async (review) => (await captionsOf(review))[2]?.text.startsWith('<i>'),
  },
  {
    name: 'Break the lines anew',
    async prepare(review) {
      // Breaks the lines badly.
      await review.focus(3, 2);
      await review.keys('Shift+Enter');
      await review.focus(3);
    },
    keys: (review) => review.keys('Alt+KeyB'),
    mouse: (review) => review.choose('More', 'Re-break lines'),
    async done(review, { captions }) {
      const lines = (await captionsOf(review))[2]?.text.split('\n') ?? [];
      return lines.length < (captions[2]?.text.split('\n').length ?? 0);
    },
  },
  {
    name: 'Move the last word to the next caption',
    keys: (review) => review.keys('Alt+Shift+ArrowDown'),
    mouse: (review) => review.choose('More', 'Word to next caption'),
    done: async (review) => /^code/i.test((await captionsOf(review))[3]?.text ?? ''),
  },
  {
    name: 'Three captions: earlier by a step',
    async keys(review) {
      await threeByKeys(review);
      await review.keys('Alt+Shift+ArrowLeft');
    },
    async mouse(review) {
      await threeByMouse(review);
      await review.press('Earlier by 0.1 s');
    },
    async done(review, { captions }) {
      const now = await captionsOf(review);
      return now.map(({ start }, at) => start !== captions[at]?.start).lastIndexOf(true) === 4;
    },
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
    name: 'Three captions: break the lines anew',
    async prepare(review) {
      for (const caption of [4, 5]) {
        await review.focus(caption, 2);
        await review.keys('Shift+Enter');
      }
      await review.focus(3);
    },
    async keys(review) {
      await threeByKeys(review);
      await review.keys('Alt+KeyB');
    },
    async mouse(review) {
      await threeByMouse(review);
      await review.choose('More', 'Re-break lines');
    },
    async done(review) {
      const now = await captionsOf(review);
      return [3, 4].every((at) => (now[at]?.text.split('\n').length ?? 3) <= 2);
    },
  },
  {
    name: 'Three captions: delete',
    async keys(review) {
      await threeByKeys(review);
      await review.keys('Alt+Delete');
    },
    async mouse(review) {
      await threeByMouse(review);
      await review.press('Delete');
    },
    done: grew(-3),
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
    name: 'A command whose key one has forgotten',
    keys: (review) => byName(review, 'insert'),
    mouse: async (review) => {
      await review.press('Insert');
    },
    done: grew(1),
  },
];
