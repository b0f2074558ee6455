/** Changing all captions of a review at once: rebuilding them by other settings, and aligning a script. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { rebuildText, scriptText } from '../../../web/texts/profiles-and-rebuilding.ts';
import { all, control, has, input, one, said, texts, until } from './support/app.ts';
import { choose, click, giveFiles, type } from './support/hands.ts';
import { LINES, dialog, isGone, isOpen, menu, openForDialogs, status } from './support/dialogs.ts';

const says = text.review;
await openForDialogs();

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
