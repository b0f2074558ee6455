/** Dialogs of the review: scripts with terms, rebuilding the selection, shifting, the palette, and downloads. */
import { expect, test } from 'bun:test';
import { rebuildText, scriptText } from '../../../web/texts/profiles-and-rebuilding.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  current,
  field,
  goToStart,
  input,
  one,
  openFile,
  openRun,
  rows,
  said,
  texts,
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
import { click, giveFiles, press, type } from './support/hands.ts';

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
