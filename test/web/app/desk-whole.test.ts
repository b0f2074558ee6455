/** Changing all captions of a review at once: rebuilding them by other settings, and aligning a script. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { rebuildText, scriptText } from '../../../web/texts/profiles-and-rebuilding.ts';
import {
  all,
  control,
  field,
  has,
  input,
  one,
  openFile,
  said,
  texts,
  times,
  until,
} from './support/app.ts';
import { choose, click, giveFiles, press, submit, type } from './support/hands.ts';
import {
  checkBy,
  LINES,
  dialog,
  isGone,
  isOpen,
  menu,
  openForDialogs,
  status,
} from './support/dialogs.ts';
import { srtOf } from './support/talks.ts';

const says = text.review;
await openForDialogs();
const { draft } = await import('../../../web/start/draft.ts');

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

test('Enter in a field rebuilds, so no button is needed', async () => {
  await press('Alt+Shift+KeyB', field(1));
  await isOpen();
  await type(all('input[type=number]')[0] as HTMLInputElement, '20', { enter: true });
  await submit(one('dialog form'));
  await isGone();
  expect(
    Math.max(
      ...texts()
        .flatMap((each) => each.split('\n'))
        .map(({ length }) => length),
    ),
  ).toBeLessThan(30);
  expect(said()).toBe(rebuildText.done(texts().length));
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

test('a line of Japanese captions has room for twice as many Latin letters', async () => {
  draft.language.value = 'ja';
  await openFile(srtOf('Good evening to all of you.'));
  draft.language.value = 'en';
  field(1).focus();
  await menu(says.more, says.rebuild);
  await isOpen();
  await choose(input(rebuildText.linesOnly), true);
  await choose(all('dialog select')[0] as HTMLSelectElement, 'netflix');
  await click(rebuildText.run);
  await isGone();
  expect(texts()).toEqual(['Good evening to all of you.']);
});

test('captions are rebuilt at the frame rate that the check uses', async () => {
  await checkBy('netflix');
  await choose(all('.profile-choice select')[1] as HTMLSelectElement, '25');
  await menu(says.more, says.rebuild);
  await isOpen();
  await click(rebuildText.run);
  await isGone();
  const frames = [1, 2, 3]
    .flatMap(times)
    .map((time) => Number(time.slice(-6).replace(',', '')) / 40);
  expect(frames.every(Number.isInteger)).toBe(true);
  expect(frames.some((frame) => frame % 25 !== 0)).toBe(true);
});

test('a rebuild that would change nothing shows a message, and Cancel changes nothing', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  await menu(says.more, says.rebuild);
  await isOpen();
  // No outcome is shown before it is known.
  expect(status()).toBe('');
  await choose(input(rebuildText.linesOnly), true);
  await until('the outcome', () => status() === rebuildText.noChange);
  await click(text.cancel);
  await isGone();
  expect(texts()).toEqual(['Good night.']);
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

test('a script with the words of the captions differs nowhere', async () => {
  await menu(says.more, says.script);
  await isOpen();
  await type(input(scriptText.label), LINES.join(' '));
  await click(scriptText.align);
  await until('agreement', () => status() === scriptText.same);
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

/** Aligns a script that differs in three places from each of `count` captions; returns the places listed. */
async function differences(captions: number): Promise<number> {
  const lines = (mark: string) =>
    Array.from(
      { length: captions },
      (_, at) => `one ${mark}${at} two ${mark}${at} go ${mark}${at} on`,
    );
  await openFile(srtOf(...lines('')));
  field(1).focus();
  await menu(says.more, says.script);
  await isOpen();
  await type(input(scriptText.label), lines('x').join(' '));
  await click(scriptText.align);
  await until('the differences', () => status().includes('It differs'));
  return Number(/differs in (\d+)/.exec(status())?.[1]);
}

test('the first 200 differences are listed, and the others counted', async () => {
  const few = await differences(50);
  expect(few).toBeLessThan(200);
  expect(all('.differences li')).toHaveLength(few);
  expect(dialog()!.textContent).not.toMatch(/And in .* more/);
  await click(text.cancel);
  await isGone();
  const many = await differences(90);
  expect(many).toBeGreaterThan(200);
  expect(all('.differences li')).toHaveLength(200);
  expect(dialog()!.textContent).toContain(scriptText.more(many - 200));
});
