/** The dialog of house profiles, and number fields. */
import { house } from '../../../../web/texts/profiles-and-rebuilding.ts';
import { text } from '../../../support/browser/words.ts';
import { all, control, one, until } from './app.ts';
import { command, dialog, isGone } from './dialogs.ts';
import { click } from './hands.ts';

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
