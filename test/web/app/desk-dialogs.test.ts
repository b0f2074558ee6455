/** The menus and dialogs of the review: commands, keys, comparison, shifting and profiles. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { scriptText } from '../../../web/texts/profiles-and-rebuilding.ts';
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
} from './support/app.ts';
import { click, press, submit, type, giveFiles } from './support/hands.ts';
import {
  command,
  dialog,
  isGone,
  isOpen,
  menu,
  openForDialogs,
  status,
} from './support/dialogs.ts';
import { CORRECTIONS, words, srtOf } from './support/talks.ts';

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
