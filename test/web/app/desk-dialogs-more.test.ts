/** Dialogs of the review: scripts with terms, rebuilding the selection, shifting, the palette, and downloads. */
import { expect, test } from 'bun:test';
import { rebuildText, scriptText } from '../../../web/texts/profiles-and-rebuilding.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  current,
  drawn,
  field,
  goToStart,
  input,
  one,
  openFile,
  openRun,
  rows,
  said,
  texts,
  times,
  until,
} from './support/app.ts';
import {
  command,
  dialog,
  isGone,
  isOpen,
  menu,
  status,
  LINES,
  openForDialogs,
  number,
} from './support/dialogs.ts';
import { CORRECTIONS, words, srtOf } from './support/talks.ts';
import { choose, click, giveFiles, press, type } from './support/hands.ts';

const says = text.review;
const ann = await openForDialogs();

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

test('a script without words cannot be aligned', async () => {
  await menu(says.more, says.script);
  await isOpen();
  await click(scriptText.align);
  expect(one('.remark', dialog()!).textContent).toBe(scriptText.empty);
  await type(input(scriptText.label), ' \n ');
  await click(scriptText.align);
  expect(one('.remark', dialog()!).textContent).toBe(scriptText.empty);
  await click(control(text.cancel, dialog()!));
  await isGone();
});

test('only the selected captions are rebuilt, after a preview of the outcome', async () => {
  await openFile(srtOf(...LINES, 'It works for the team and for us all, day and night.'));
  await click(control(says.goTo(1)), { ctrlKey: true });
  await click(control(says.goTo(2)), { ctrlKey: true });
  await menu(says.more, says.rebuild);
  await isOpen();
  expect(dialog()!.textContent).toContain(rebuildText.selected(2));
  await type(number(text.format.maxLineChars), '20', { enter: true });
  await until('the outcome', () => status() !== '' && status() !== rebuildText.noChange);
  expect(status()).toMatch(/^2 captions/);
  const last = texts().at(-1);
  await click(rebuildText.run);
  await isGone();
  expect([texts().at(-1), texts().length > 4]).toEqual([last!, true]);
  expect(rows().some((row) => row.classList.contains('selected'))).toBe(false);
  await click(says.undo);
  expect(texts()).toHaveLength(4);
});

test('only the lines are re-broken, and the dialog shows a message if nothing changes', async () => {
  await menu(says.more, says.rebuild);
  await isOpen();
  await until('the outcome', () => status() !== '');
  await choose(all('dialog input[type=radio]')[1] as HTMLInputElement, true);
  await type(number(text.format.maxLineChars), '80', { enter: true });
  await until('no change', () => status() === rebuildText.noChange);
  // Durations only matter if captions are built again.
  expect(all('dialog .field.number')).toHaveLength(2);
  await choose(all('dialog select')[0] as HTMLSelectElement, 'netflix');
  expect(all('dialog .field.number')).toHaveLength(0);
  await until('the outcome', () => status() !== rebuildText.noChange);
  await click(rebuildText.run);
  await isGone();
  expect([texts().length, texts()[1]!.includes('\n')]).toEqual([3, true]);
});

test('Escape closes the shift form and restores the focus', async () => {
  field(2).focus();
  await drawn();
  await press('Alt+KeyS', field(2));
  const by = await until('the form', () =>
    document.querySelector<HTMLInputElement>('form.shift input'),
  );
  expect([document.activeElement === by, by.value]).toEqual([true, '0.5']);
  expect([by.selectionStart, by.selectionEnd]).toEqual([0, 3]);
  expect(await press('KeyX', by)).toBe(false);
  expect(await press('Escape', by)).toBe(true);
  await until('no form', () => !document.querySelector('form.shift'));
  expect([document.activeElement === field(2), times(2)[0]]).toEqual([true, '00:00:03,000']);
});

test('a shift that is not a number is marked until it is corrected', async () => {
  await press('Alt+KeyS', field(1));
  const by = await until('the form', () =>
    document.querySelector<HTMLInputElement>('form.shift input'),
  );
  await type(by, 'x');
  by.form!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await drawn();
  expect(by.getAttribute('aria-invalid')).toBe('true');
  await type(by, '1');
  expect(by.getAttribute('aria-invalid')).toBe('false');
  by.form!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await until('no form', () => !document.querySelector('form.shift'));
  expect(times(1)[0]).toBe('00:00:01,000');
});

test('an invalid time is reset when its field is left', async () => {
  const start = input(says.cueStart(2));
  await type(start, 'soon', { enter: true });
  expect([start.getAttribute('aria-invalid'), start.title]).toEqual(['true', says.badTime]);
  await type(start, 'so');
  expect(start.getAttribute('aria-invalid')).toBe('false');
  await press('ArrowLeft', start);
  expect(start.value).toBe('so');
  start.dispatchEvent(new FocusEvent('blur'));
  await drawn();
  expect([start.value, start.title]).toEqual(['00:00:03,000', says.cueStart(2)]);
  // Enter without a new text changes nothing.
  start.dispatchEvent(new Event('change', { bubbles: true }));
  await drawn();
  expect(times(2)[0]).toBe('00:00:03,000');
});

test('a click outside closes the palette, and the arrow keys wrap around in it', async () => {
  await press('Ctrl+KeyK', field(1));
  await isOpen();
  const query = input(says.paletteAsk);
  await press('ArrowUp', query);
  expect(all('[role=option]').at(-1)!.getAttribute('aria-selected')).toBe('true');
  expect(query.getAttribute('aria-activedescendant')).toBe(all('[role=option]').at(-1)!.id);
  await type(query, 'undo');
  expect(all('[role=option]')[0]!.getAttribute('aria-selected')).toBe('true');
  expect(await press('KeyU', query)).toBe(false);
  const option = all('[role=option]')[0]!;
  // A press on an entry leaves the focus in the field.
  expect(
    option.dispatchEvent(new MouseEvent('mousedown', { cancelable: true, bubbles: true })),
  ).toBe(false);
  one('ul', dialog()!).dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(dialog()).not.toBeNull();
  dialog()!.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await isGone();
  await press('Ctrl+KeyK', field(1));
  await isOpen();
  await type(input(says.paletteAsk), 'make coffee');
  await press('Enter', input(says.paletteAsk));
  expect([dialog()?.open, input(says.paletteAsk).getAttribute('aria-activedescendant')]).toEqual([
    true,
    null,
  ]);
  dialog()!.close();
  await isGone();
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
