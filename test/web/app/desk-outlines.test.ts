/** Snapshots of the parts of the review. */
import { beforeEach, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { speakersText } from '../../../web/texts/speakers.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { drawn, field, has, input, one, openApp, openRun, until } from './support/app.ts';
import { CORRECTIONS, words } from './support/doubtful-talk.ts';
import { choose, click, press, type } from './support/hands.ts';
import { dialog, isGone, isOpen, menu, status } from './support/dialogs.ts';
import { expectOutline } from './support/outline.ts';

const says = text.review;
const ann = await openApp();

beforeEach(async () => {
  localStorage.clear();
  await openRun(ann, words, CORRECTIONS);
  await until('the way to finish', () => has(termsText.finish));
  field(1).focus();
  await drawn();
});

const panel = () => one('[role=tabpanel]').textContent ?? '';

test('the desk', async () => {
  await expectOutline('desk');
});

test.each(['doubts', 'warnings', 'report', 'speakers'])('the tab %s', async (name) => {
  const tab = one(`[data-tab=${name}]`);
  await click(tab);
  await until('its panel', () => tab.getAttribute('aria-selected') === 'true' && panel() !== '');
  await until('no loading', () => !document.querySelector('.side-panel .loading'));
  if (name === 'speakers') {
    await type(input(speakersText.add), 'Ada');
    await click(speakersText.addDo);
  }
  await expectOutline(`desk-${name}`, '.side-panel');
});

test('the check by a publisher', async () => {
  await click(one('[data-tab=warnings]'));
  await until('the choice', () => document.querySelector('.profile-choice select'));
  await choose(one('.profile-choice select') as HTMLSelectElement, 'netflix');
  await until('what is wrong', () => document.querySelector('.rule'));
  await expectOutline('desk-netflix', '.side-panel');
  await expectOutline('desk-netflix-rows', '.cue-list');
});

test.each([
  ['find', 'Ctrl+KeyF'],
  ['replace', 'Ctrl+KeyH'],
])('%s', async (name, key) => {
  await press(key);
  await until('the bar', () => document.querySelector('.find-bar input'));
  await type(document.querySelector<HTMLInputElement>('.find-bar input')!, 'talk');
  await expectOutline(`desk-${name}`, '.find-bar');
});

test.each([
  ['palette', 'Ctrl+KeyK'],
  ['rebuild', 'Alt+Shift+KeyB'],
])('%s', async (name, key) => {
  await press(key);
  await isOpen();
  if (name === 'rebuild') await until('the outcome', () => status() !== '');
  await expectOutline(`desk-${name}`, 'dialog');
  dialog()!.close();
  await isGone();
});

test.each([
  ['keys', says.keys],
  ['compare', says.compare],
])('%s', async (name, button) => {
  await type(field(2), 'Changed here.');
  await click(button);
  await isOpen();
  await expectOutline(`desk-${name}`, 'dialog');
  dialog()!.close();
  await isGone();
});

test('shifting', async () => {
  await menu(says.timing, says.shift);
  await until('the form', () => document.querySelector('.shift input'));
  await expectOutline('desk-shift', '.shift');
});

test('aligning a script', async () => {
  await menu(says.more, says.script);
  await isOpen();
  await expectOutline('desk-script', 'dialog');
  dialog()!.close();
  await isGone();
});

test('finishing', async () => {
  await click(termsText.finish);
  await isOpen();
  await until('the end', () => status() === termsText.finished);
  await expectOutline('desk-finish', 'dialog');
  dialog()!.close();
  await isGone();
});

test.each([
  ['download', says.downloadAs],
  ['more', says.more],
  ['timing', says.timing],
])('the menu %s', async (name, button) => {
  await click(button);
  await expectOutline(`desk-menu-${name}`, '.menu-items');
  await press('Escape');
});
