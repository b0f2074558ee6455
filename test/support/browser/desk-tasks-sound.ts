/** Tasks of an editor's day: playback, and the times of captions. */
import { parseTimestamp } from '../../../server/captions/timestamps.ts';
import { byList, byName, captionsOf, isPlaying, seekTo, timeOf, type Task } from './desk-task.ts';
import type { ReviewPage } from './review-page.ts';

const at = (clock: string | undefined): number => parseTimestamp(clock ?? '') ?? Number.NaN;
const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.07;

/** Waits until the playhead has moved by this much. */
const movedBy =
  (seconds: number): Task['done'] =>
  async (review, { time }) =>
    near(await timeOf(review), time + seconds);

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
const free = inMode('free', 'Free');

/** Moves the playhead to half a second into caption 3. */
const into3 = async (review: ReviewPage): Promise<void> => {
  const [, , third] = await captionsOf(review);
  await seekTo(review, at(third?.start) + 0.5);
};

/** Playback and times. */
export const SOUND_TASKS: readonly Task[] = [
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
  ...(
    [
      ['Alt+ArrowRight', 'Forward 1 second', 1],
      ['Alt+ArrowLeft', 'Back 1 second', -1],
      ['Control+Alt+ArrowRight', 'Forward 5 seconds', 5],
      ['Control+Alt+ArrowLeft', 'Back 5 seconds', -5],
    ] as const
  ).map(([chord, name, by]): Task => ({
    name,
    prepare: (review) => seekTo(review, 12),
    keys: (review) => review.keys(chord),
    mouse: (review) => review.press(name),
    done: movedBy(by),
  })),
  {
    name: 'Forward one frame',
    prepare: (review) => seekTo(review, 12),
    keys: (review) => review.keys('Alt+Period'),
    mouse: (review) => byList(review, 'Forward 1 frame'),
    done: async (review) => near(await timeOf(review), 12.06),
  },
  {
    name: 'Play this caption again',
    keys: (review) => review.keys('Alt+KeyP'),
    mouse: (review) => review.press('Play this caption'),
    done: plays,
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
    name: 'Play from this caption on',
    prepare: (review) => seekTo(review, 1),
    keys: (review) => review.keys('Control+Enter'),
    mouse: (review) => review.press('Caption 3: play from here'),
    done: plays,
  },
  {
    name: 'Play on to the end of the caption',
    prepare: into3,
    keys: (review) => review.keys('Alt+KeyE'),
    mouse: (review) => byList(review, 'Play to the end of the caption'),
    done: plays,
  },
  {
    name: 'Faster',
    keys: (review) => review.keys('Alt+Equal'),
    mouse: (review) => byList(review, 'Faster'),
    done: (review) => review.page.$eval('video', ({ playbackRate }) => playbackRate === 1.25),
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
    name: 'Earlier by a step, no other moves',
    async prepare(review) {
      await review.focus(3);
    },
    async keys(review) {
      await free(true)(review);
      await review.keys('Alt+Shift+ArrowLeft');
    },
    async mouse(review) {
      await free(false)(review);
      await review.press('Earlier by 0.1 s');
    },
    async done(review, { captions }) {
      const now = await captionsOf(review);
      return (
        near(at(now[2]?.start), at(captions[2]?.start) - 0.1) &&
        now[3]?.start === captions[3]?.start
      );
    },
  },
  {
    name: 'Snap to speech, off and on',
    async keys(review) {
      for (let press = 0; press < 2; press += 1) await byName(review, 'snap to sp');
    },
    async mouse(review) {
      for (let press = 0; press < 2; press += 1) await review.choose('Timing', 'Snap to speech');
    },
    done: async (review, { captions }) => Bun.deepEquals(await captionsOf(review), captions),
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
    name: 'Close the gap to the next caption',
    keys: (review) => review.keys('Alt+KeyG'),
    mouse: (review) => review.choose('Timing', 'Close gap to next caption'),
    async done(review) {
      const now = await captionsOf(review);
      return at(now[3]?.start) - at(now[2]?.end) < 0.1;
    },
  },
];
