/** The menus and dialogs of the review: commands, keys, comparison, shifting, profiles, rebuilding and scripts. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { scriptText, house, rebuildText } from '../../../web/texts/profiles-and-rebuilding.ts';
import {
  all,
  drawn,
  field,
  has,
  input,
  one,
  said,
  texts,
  times,
  until,
  current,
  goToStart,
  openRun,
  control,
} from './support/app.ts';
import { click, press, submit, type, giveFiles, choose } from './support/hands.ts';
import {
  command,
  dialog,
  isGone,
  isOpen,
  menu,
  openForDialogs,
  status,
  number,
  openHouse,
  closeDialog,
  LINES,
} from './support/dialogs.ts';
import { CORRECTIONS, words, srtOf } from './support/talks.ts';
import { sheet } from '../../../web/texts/keys.ts';
import { saved } from './support/page.ts';

const says = text.review;
const ann = await openForDialogs();

test('the palette finds a command by part of its name and runs it', async () => {
  await press('Ctrl+KeyK');
  await isOpen();
  const query = input(says.paletteAsk);
  await type(query, 'merge with');
  const options = () => all('[role=option]').map((option) => option.getAttribute('aria-selected'));
  expect(options()).toEqual(['true', 'false']);
  await press('ArrowDown', query);
  expect(options()).toEqual(['false', 'true']);
  await press('ArrowDown', query);
  expect(options()).toEqual(['true', 'false']);
  await press('ArrowUp', query);
  await press('ArrowUp', query);
  await press('Enter', query);
  await isGone();
  expect(texts()).toHaveLength(2);
});

test('a command gets another shortcut, and then its default again', async () => {
  await press('?', document.body);
  await press('Shift+Slash', document.body);
  if (!dialog()) await click(says.keys);
  await isOpen();
  const insert = all('.keys button').find((button) =>
    button.textContent?.includes('Insert a caption'),
  )!;
  await click(insert);
  expect(insert.textContent).toContain(says.pressKey);
  await press('Ctrl+Alt+KeyY', insert);
  expect(one('kbd', insert).textContent).toContain('Y');
  expect(has(says.keysReset)).toBe(true);
  await click(text.close);
  await isGone();
  field(1).focus();
  await press('Ctrl+Alt+KeyY');
  expect(texts()).toHaveLength(4);
  expect(await press('Alt+KeyI')).toBe(false);
  await click(says.keys);
  await isOpen();
  await click(says.keysReset);
  await click(text.close);
  await isGone();
  field(1).focus();
  await press('Alt+KeyI');
  expect(texts()).toHaveLength(5);
});

test('the comparison shows the changes word by word', async () => {
  await click(says.compare);
  await isOpen();
  expect(dialog()!.textContent).toContain(says.compareNone);
  await click(text.close);
  await isGone();
  await type(field(3), 'Good morning.');
  await click(says.compare);
  await isOpen();
  expect(dialog()!.textContent).toContain(says.compareCount(1));
  expect([one('.differences del').textContent, one('.differences ins').textContent]).toEqual([
    'night',
    'morning',
  ]);
  await click(text.close);
  await isGone();
  await type(input(says.cueStart(3)), '6.5', { enter: true });
  await click(says.compare);
  await isOpen();
  expect(one('.differences .hint').textContent).toBe(`00:06.5 · ${says.compareTimes}`);
});

test('captions are shifted from the current one on', async () => {
  field(2).focus();
  await drawn();
  await menu(says.timing, says.shift);
  const by = await until('the form', () =>
    document.querySelector<HTMLInputElement>('form.shift input'),
  );
  await type(by, 'a bit');
  await submit(by.form!);
  await until('the refusal', () => said() === text.review.badShift);
  await type(by, '0.5');
  await submit(by.form!);
  await until('no form', () => !document.querySelector('form.shift'));
  expect([times(1)[0], times(2)[0], times(3)[0]]).toEqual([
    '00:00:00,000',
    '00:00:03,500',
    '00:00:06,500',
  ]);
});

test('a script decides on open terms: it accepts those it contains, and rejects the others', async () => {
  await openRun(ann, words, CORRECTIONS);
  const talk = texts().join(' ').replaceAll('\n', ' ');
  const [first, ...others] = talk.split('off kit');
  await menu(says.more, says.script);
  await isOpen();
  await type(input(scriptText.label), `${first}AuthKit${others.join('off kit')}`);
  await click(scriptText.align);
  await until('the differences', () => status().includes('It differs'));
  await click(scriptText.use);
  await isGone();
  await until('the terms', () => all('.term .state').length === 2);
  expect(all('.term .state').map(({ textContent }) => textContent)).toEqual([
    says.decisions.accepted,
    says.decisions.rejected,
  ]);
  await click(says.undo);
  expect(all('.term .state').map(({ textContent }) => textContent)).toEqual([
    says.decisions.open,
    says.decisions.open,
  ]);
});

test('captions are copied as SRT, or the browser’s refusal is reported', async () => {
  let copied = '';
  let refuses = false;
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: {
      async writeText(words: string) {
        if (refuses) throw new TypeError('no');
        copied = words;
      },
    },
  });
  await command('copy');
  await until('the answer', () => said() === says.copied);
  expect(copied).toStartWith('1\n00:00:00,000 --> 00:00:02,000\nThey shipped a server.\n');
  refuses = true;
  await command('copy');
  await until('the answer', () => said() === says.notCopied);
});

test('files are chosen by Ctrl+O', async () => {
  const { click: clickInput } = HTMLInputElement.prototype;
  const asked: HTMLInputElement[] = [];
  HTMLInputElement.prototype.click = function open(this: HTMLInputElement) {
    asked.push(this);
  };
  try {
    await press('Ctrl+KeyO', field(1));
    const asking = await until('the dialog', () => asked[0]);
    expect([asking.type, asking.multiple, asking.accept.split(',').includes('.srt')]).toEqual([
      'file',
      true,
      true,
    ]);
    await giveFiles(asking, [new File([srtOf('Other.', 'Words.')], 'other.srt')]);
    await until('the other review', () => texts()[0] === 'Other.');
    expect(current()).toBe(1);
    await goToStart();
    // The page listens for the key once it is drawn.
    await until('the key', () => press('Ctrl+KeyO', document.body));
    expect(asked).toHaveLength(2);
    expect(await press('KeyO', document.body)).toBe(false);
    await giveFiles(asked[1]!, [new File(['x'], 'talk.mp3')]);
    await until('the choice', () => one('.drop-title').textContent.includes('talk.mp3'));
  } finally {
    HTMLInputElement.prototype.click = clickInput;
  }
});

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

test('captions are rebuilt with other settings, after a preview of the outcome', async () => {
  await menu(says.more, says.rebuild);
  await isOpen();
  const chars = all('input[type=number]')[0] as HTMLInputElement;
  await type(chars, '20', { enter: true });
  const most = Number(chars.value);
  expect(most).toBeLessThan(42);
  await until('the outcome', () => /becomes? /.test(status()));
  await click(rebuildText.run);
  await isGone();
  expect(said()).toBe(rebuildText.done(texts().length));
  expect(
    texts()
      .flatMap((each) => each.split('\n'))
      .every((line) => line.length <= most),
  ).toBe(true);
  expect(texts().join(' ').replaceAll('\n', ' ')).toBe(LINES.join(' '));
  await click(says.undo);
  expect(texts()).toEqual(LINES);
});

test('only the lines of the selected captions are re-broken', async () => {
  await click(control(says.goTo(2)), { ctrlKey: true });
  await menu(says.more, says.rebuild);
  await isOpen();
  expect(dialog()!.textContent).toContain(rebuildText.selected(2));
  await choose(input(rebuildText.linesOnly), true);
  await until('the outcome', () => status() !== '');
  await until(
    'a change',
    () => status() === rebuildText.become(1, 1) || status() === rebuildText.become(2, 2),
  );
  expect(has(text.format.maxDuration)).toBe(false);
  await click(rebuildText.run);
  await isGone();
  expect(texts()).toHaveLength(3);
  expect(texts()[1]).toContain('\n');
});

test('a script is aligned: its words, at the times of the captions', async () => {
  await menu(says.more, says.script);
  await isOpen();
  await click(scriptText.align);
  expect(status()).toBe(scriptText.empty);
  const script =
    'They shipped the server. It works for the team and for us all, day and night. Good night.';
  await type(input(scriptText.label), script);
  await click(scriptText.align);
  await until('the differences', () => status().includes(scriptText.differences(1)));
  expect([one('.differences del').textContent, one('.differences ins').textContent]).toEqual([
    'a',
    'the',
  ]);
  expect(dialog()!.textContent).not.toContain(scriptText.unlike);
  await click(scriptText.again);
  expect(input(scriptText.label).value).toBe(script);
  await click(scriptText.align);
  await click(scriptText.use);
  await isGone();
  expect(texts().join(' ').replaceAll('\n', ' ')).toBe(script);
  expect(said()).toBe(scriptText.done(texts().length));
});

test.each([
  ['three', 'They shipped a boat. Six other words go here now.', true],
  ['four', 'They shipped a server. Six other words go here now.', false],
  ['seven', 'They shipped a server. Good night for words go now.', false],
])('a script of which %s words in ten are heard causes a warning: %p', async (_, script, warns) => {
  await menu(says.more, says.script);
  await isOpen();
  await type(input(scriptText.label), script);
  await click(scriptText.align);
  await until('the differences', () => status().includes('It differs'));
  expect(dialog()!.textContent.includes(scriptText.unlike)).toBe(warns);
  await click(text.cancel);
});

test('a script can be read from a file, and one that is too large is refused', async () => {
  await menu(says.more, says.script);
  await isOpen();
  const choice = one('dialog input[type=file]');
  await giveFiles(choice, [new File([new Uint8Array(5_000_001)], 'book.txt')]);
  expect([status(), input(scriptText.label).value]).toEqual([scriptText.tooLarge, '']);
  await giveFiles(choice, [new File(['.'.repeat(5_000_000)], 'thick.txt')]);
  expect(status()).toBe('');
  await until('the script', () => input(scriptText.label).value.length === 5_000_000);
  await giveFiles(choice, [new File([`\ufeff${LINES.join('\n')}`], 'talk.txt')]);
  await until('the script', () => input(scriptText.label).value === LINES.join('\n'));
  expect(status()).toBe('');
});
