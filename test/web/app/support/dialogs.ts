/** The dialogs and menus of the review, over captions that each test begins with. */
import { beforeEach } from 'bun:test';
import { text } from '../../../support/browser/words.ts';
import { control, drawn, field, input, one, openApp, openFile, until, type Person } from './app.ts';
import { click, press, type } from './hands.ts';
import { srtOf } from './srt.ts';

/** The captions. */
export const LINES = [
  'They shipped a server.',
  'It works for the team and for us all, day and night.',
  'Good night.',
];

/** Opens the app, and the captions before each test, with the cursor in the first. */
export async function openForDialogs(): Promise<Person> {
  const person = await openApp();
  beforeEach(async () => {
    localStorage.clear();
    await openFile(srtOf(...LINES));
    field(1).focus();
    await drawn();
  });
  return person;
}

/** The dialog, if there is one. */
export const dialog = (): HTMLDialogElement | null => document.querySelector('dialog');

/** Waits until a dialog is open. */
export const isOpen = () => until('the dialog', () => dialog()?.hasAttribute('open'));

/** Waits until no dialog is left. */
export const isGone = () => until('no dialog', () => !dialog());

/** The status text of the dialog. */
export const status = (): string => one('[role=status]', dialog()!).textContent;

/** Chooses an entry of a menu. */
export async function menu(button: string, entry: string): Promise<void> {
  await click(button);
  await click(control(entry));
}

/** Runs a command by a part of its name. */
export async function command(name: string): Promise<void> {
  await press('Ctrl+KeyK');
  await isOpen();
  await type(input(text.review.paletteAsk), name);
  await press('Enter', input(text.review.paletteAsk));
}
