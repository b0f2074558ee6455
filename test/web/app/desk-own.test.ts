/** Personal settings of the review: house profiles, also as files, and shortcuts. */
import { expect, test } from 'bun:test';
import { house } from '../../../web/texts/profiles-and-rebuilding.ts';
import { sheet } from '../../../web/texts/keys.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, drawn, has, input, one, until } from './support/app.ts';
import {
  dialog,
  isOpen,
  status,
  openForDialogs,
  number,
  openHouse,
  closeDialog,
} from './support/dialogs.ts';
import { choose, click, giveFiles, press, type } from './support/hands.ts';
import { saved } from './support/page.ts';

const says = text.review;
await openForDialogs();

const removals = () =>
  all('dialog button').filter(({ textContent }) => textContent === house.remove).length;

test('a house profile is saved as a file, deleted, and opened again', async () => {
  await openHouse();
  saved.clear();
  await click(house.download);
  expect([status(), saved.size]).toEqual([house.nameFirst, 0]);
  await type(input(house.name), '!');
  await click(house.download);
  // No letter of this name can be part of the name of a file.
  expect([...saved.keys()]).toEqual(['profile.json']);
  await click(control(house.remove, dialog()!));
  await type(input(house.name), ' Our house! ');
  await choose(input(house.base), 'netflix');
  await type(number(house.maxLineChars), '30', { enter: true });
  await type(number(house.minDuration), '6', { enter: true });
  await type(number(house.maxDuration), '5', { enter: true });
  await click(house.save);
  expect(status()).toBe(house.order);
  await type(number(house.minDuration), '1', { enter: true });
  saved.clear();
  await click(house.download);
  expect([...saved.keys()]).toEqual(['Our-house.json']);
  const file = await saved.get('Our-house.json')!.text();
  expect(JSON.parse(file)).toMatchObject({
    name: 'Our house!',
    base: 'netflix',
    maxLineChars: 30,
    minDuration: 1,
    maxDuration: 5,
  });
  expect(status()).toBe(house.saved('Our house!'));
  // A profile may keep its own name, and both durations may be equal.
  await type(number(house.minDuration), '5', { enter: true });
  await type(number(house.maxDuration), '5', { enter: true });
  await click(house.save);
  expect(status()).toBe(house.saved('Our house!'));
  await click(control(house.remove, dialog()!));
  expect([status(), input(house.name).value, removals()]).toEqual([
    house.removed('Our house!'),
    '',
    0,
  ]);
  const choice = () => one('dialog input[type=file]');
  await giveFiles(choice(), []);
  await giveFiles(choice(), [new File([file], 'ours.json')]);
  await until('what came of it', () => status() === house.opened('Our house!'));
  expect([
    (one('#house-which') as HTMLSelectElement).value,
    number(house.maxLineChars).value,
  ]).toEqual(['Our house!', '30']);
  await giveFiles(choice(), [new File(['{"name": 1}'], 'wrong.json')]);
  await until('the refusal', () => status().startsWith(house.wrong));
  expect(all('dialog [role=status] p').length).toBeGreaterThan(1);
  await giveFiles(choice(), [new File([new Uint8Array(64 * 1024 + 1)], 'large.json')]);
  await until('the refusal', () => status().endsWith(house.tooLarge));
  await giveFiles(choice(), [new File([file.padEnd(64 * 1024)], 'padded.json')]);
  await until('what came of it', () => status() === house.opened('Our house!'));
  // Choosing another profile removes the messages.
  await choose(one('#house-which') as HTMLSelectElement, '');
  expect([status(), input(house.name).value]).toEqual(['', '']);
  // A new profile is based on the rules shown last.
  expect(input(house.base).value).toBe('netflix');
  await closeDialog();
});

const keyButton = (name: string) =>
  all('.keys button').find((button) => button.textContent?.includes(name))!;
const shown = (button: Element) =>
  [...button.querySelectorAll('kbd')].map(({ textContent }) => textContent);

test('while a shortcut is being recorded, Escape and leaving the field change nothing, and modifiers alone do not count', async () => {
  await click(says.keys);
  await isOpen();
  const insert = keyButton('Insert a caption');
  const before = shown(insert);
  await click(insert);
  expect(insert.className).toBe('waiting');
  await press('Shift+ShiftLeft', insert);
  expect(insert.textContent).toContain(sheet.pressKey);
  expect(await press('Tab', insert)).toBe(false);
  expect(insert.textContent).toContain(sheet.pressKey);
  expect(await press('Escape', insert)).toBe(true);
  expect([shown(insert), insert.className, dialog() !== null]).toEqual([before, '', true]);
  await click(insert);
  insert.dispatchEvent(new FocusEvent('blur'));
  await drawn();
  expect([shown(insert), insert.className]).toEqual([before, '']);
  await click(insert);
  await click(insert);
  expect([shown(insert), insert.className]).toEqual([before, '']);
  // While no shortcut is being recorded, a key does what it always does.
  expect(await press('KeyQ', insert)).toBe(false);
  expect(has(sheet.keysReset)).toBe(false);
  await closeDialog();
});
