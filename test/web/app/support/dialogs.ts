/** The dialogs and menus of the review, over captions that each test begins with. */
import { beforeEach } from 'bun:test';
import { text } from '../../../support/browser/words.ts';
import { control, drawn, field, input, one, openFile, until, all } from './app.ts';
import { click, press, type, choose } from './hands.ts';
import { srtOf } from './talks.ts';
import { profiles, house } from '../../../../web/texts/profiles-and-rebuilding.ts';

/** The captions. */
export const LINES = [
  'They shipped a server.',
  'It works for the team and for us all, day and night.',
  'Good night.',
];

/** Opens the captions before each test, with the cursor in the first. */
export function useLines(): void {
  beforeEach(async () => {
    localStorage.clear();
    await openFile(srtOf(...LINES));
    field(1).focus();
    await drawn();
  });
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

/** The tab of a panel. */
export const tab = (name: string) => one(`[data-tab=${name}]`);

/** The text of the open panel. */
export const panel = () => one('[role=tabpanel]').textContent ?? '';

/** Opens a panel. */
export async function open(name: string): Promise<void> {
  await click(tab(name));
  await until(
    `the panel ${name}`,
    () => tab(name).getAttribute('aria-selected') === 'true' && panel() !== '',
  );
}

/** Checks the captions by a profile. */
export async function checkBy(profile: string): Promise<void> {
  await open('warnings');
  await until('the choice', () => document.querySelector('.profile-choice select'));
  await choose(all('.profile-choice select')[0] as HTMLSelectElement, profile);
  await until('the check', () => all('section.rule').length > 0 || panel().includes(profiles.none));
}

/** The number field with a label; a slider has the same one. */
export const number = (label: string) =>
  all('.field.number')
    .find((each) => one('label', each).textContent === label)!
    .querySelector<HTMLInputElement>('input[type=number]')!;

export async function openHouse(): Promise<void> {
  await command('own profiles');
  await until('the dialog', () => dialog()?.textContent?.includes(house.title));
}

export async function closeDialog(): Promise<void> {
  await click(control(text.close, dialog()!));
  await isGone();
}
