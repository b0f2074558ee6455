/** Tasks of an editor's day: all captions at once, speakers, files, and the list of commands. */
import { byName, captionsOf, nextFile, tabTo, type Before, type Task } from './desk-task.ts';
import { SHORT_TALK } from './review.ts';

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

export const FILE_TASKS: readonly Task[] = [
  {
    name: 'Compare with the original',
    prepare: (review) => review.type(3, ' indeed'),
    async keys(review) {
      await byName(review, 'compare');
      await review.page.waitForSelector('dialog[open] .dialog-body');
      await review.keys('Escape');
    },
    async mouse(review) {
      await review.press('Compare');
      await review.page.waitForSelector('dialog[open] .dialog-body');
      await review.press('Close');
    },
    done: async (review) => (await review.page.$('dialog[open]')) === null,
  },
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
  file('ASS', 'ass', 'Download ASS', /^\[Script Info\]/),
  file('TTML', 'ttml', 'Download TTML', /<tt /),
  file('plain text', 'plain text', 'Download TXT', /^Welcome back/),
  file('the report', 'csv', 'Download the report as CSV', /,/),
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
