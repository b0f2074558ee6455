/** Tasks of an editor's day at the desk, each by keys alone and by the mouse; what every command does is tested without a browser. */
import { parseTimestamp } from '../../../server/captions/timestamps.ts';
import {
  byName,
  captionsOf,
  clickText,
  isPlaying,
  nextFile,
  seekTo,
  tabTo,
  timeOf,
  type Before,
  type Task,
} from './desk-task.ts';
import type { ReviewPage } from './review-page.ts';
import { SHORT_TALK } from './review.ts';

const at = (clock: string | undefined): number => parseTimestamp(clock ?? '') ?? Number.NaN;
const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.07;

const plays = async (review: ReviewPage): Promise<boolean> => {
  await review.page.waitForFunction(() => document.querySelector('video')?.paused === false);
  return true;
};

/** Selects a timing mode. */
const inMode =
  (typed: string, says: string) =>
  (byKeys: boolean) =>
  async (review: ReviewPage): Promise<void> => {
    if (byKeys) await byName(review, typed);
    else await review.choose('Timing', says);
  };
const roll = inMode('roll', 'Roll');
const ripple = inMode('ripple', 'Ripple');

/** Moves the playhead to half a second into caption 3. */
const into3 = async (review: ReviewPage): Promise<void> => {
  const [, , third] = await captionsOf(review);
  await seekTo(review, at(third?.start) + 0.5);
};

const SOUND_TASKS: readonly Task[] = [
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
    name: 'Forward 1 second',
    prepare: (review) => seekTo(review, 12),
    keys: (review) => review.keys('Alt+ArrowRight'),
    mouse: (review) => review.press('Forward 1 second'),
    done: async (review) => near(await timeOf(review), 13),
  },
  {
    name: 'Loop this caption, and no longer',
    async keys(review) {
      await review.keys('Alt+Shift+KeyP');
      await plays(review);
      await review.keys('Alt+Shift+KeyP');
    },
    async mouse(review) {
      await review.press('Loop this caption, on or off');
      await plays(review);
      await review.press('Loop this caption, on or off');
    },
    done: async (review) => (await review.said()) === 'No longer looping.',
  },
  {
    name: 'Start at the playhead, rolling the cut',
    async prepare(review) {
      await review.focus(3);
      await into3(review);
    },
    async keys(review) {
      await roll(true)(review);
      await review.keys('Alt+BracketLeft');
    },
    async mouse(review) {
      await roll(false)(review);
      await review.press('In: start at the playhead');
    },
    async done(review, { captions }) {
      const now = await captionsOf(review);
      return at(now[2]?.start) > at(captions[2]?.start) + 0.2;
    },
  },
  {
    name: 'End at the playhead, all after it along',
    async prepare(review) {
      await review.focus(3);
      await into3(review);
      await seekTo(review, 12);
    },
    async keys(review) {
      await ripple(true)(review);
      await review.keys('Alt+BracketRight');
    },
    async mouse(review) {
      await ripple(false)(review);
      await review.press('Out: end at the playhead');
    },
    async done(review, { captions }) {
      const now = await captionsOf(review);
      const by = at(now[2]?.end) - at(captions[2]?.end);
      return by < -0.2 && near(at(now[4]?.start) - at(captions[4]?.start), by);
    },
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
];

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

const TEXT_TASKS: readonly Task[] = [
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
];

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

const CHECK_TASKS: readonly Task[] = [
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

/** The spoken text, as a user pastes it. */
const SCRIPT = SHORT_TALK.map(([sentence]) => sentence)
  .join('\n')
  .replace('back', 'again');

/** A file in a format. */
const file = (format: string, typed: string, says: string, holds: RegExp): Task => ({
  name: `Download ${format}`,
  keys: (review) => byName(review, typed),
  mouse: (review) => review.choose('Download as another format', says),
  done: async (review, before: Before) => holds.test(await nextFile(review, before)),
});

const FILE_TASKS: readonly Task[] = [
  {
    name: 'Rebuild all captions by other settings',
    async keys(review) {
      await review.keys('Alt+Shift+KeyB');
      await review.page.waitForSelector('dialog .number');
      await tabTo(review, 'dialog .number input[type=number]');
      await review.page.keyboard.type('24');
      await review.keys('Enter');
    },
    async mouse(review) {
      await review.choose('More', 'Rebuild captions…');
      await review.page.locator('dialog .number input[type=number]').click({ count: 3 });
      await review.page.keyboard.type('24');
      await review.press('Rebuild');
    },
    async done(review) {
      const lines = (await captionsOf(review)).flatMap(({ text }) => text.split('\n'));
      return lines.every(({ length }) => length <= 24 || length > 60);
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
    name: 'A speaker for three captions',
    async keys(review) {
      await review.keys('Control+Shift+ArrowDown', 'Control+Shift+ArrowDown');
      await review.keys('Alt+Shift+KeyS');
      await review.page.waitForSelector('.new-speaker input:focus');
      await review.page.keyboard.type('Ada');
      await review.keys('Enter');
    },
    async mouse(review) {
      await review.page.keyboard.down('Shift');
      await review.press('Caption 5: play from here', 5);
      await review.page.keyboard.up('Shift');
      await review.tab('speakers');
      await review.page.locator('.new-speaker input').click();
      await review.page.keyboard.type('Ada');
      await review.page.locator('.new-speaker button').click();
      await review.settled();
    },
    done: async (review) => (await review.readAll('.cue .cue-speakers')).length >= 3,
  },
  {
    ...file('SRT', '', 'Download SRT', /^1\r?\n00:00:00,500 --> /),
    keys: (review) => review.keys('Control+KeyS'),
  },
  file('VTT', 'vtt', 'Download VTT', /^WEBVTT/),
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
];

export const TASKS = [...SOUND_TASKS, ...TEXT_TASKS, ...CHECK_TASKS, ...FILE_TASKS];
