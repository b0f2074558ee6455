/** Captions are edited and downloaded. */
import { beforeEach, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  current,
  drawn,
  field,
  input,
  openApp,
  openFile,
  rows,
  said,
  texts,
  times,
  until,
} from './support/app.ts';
import { click, press, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { saved } from './support/page.ts';

const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];

await openApp();

beforeEach(() => openFile(srtOf(...LINES)));

const startOf = (number: number) => input(text.review.cueStart(number));

const endOf = (number: number) => input(text.review.cueEnd(number));

const selected = () => rows().map((row) => row.classList.contains('selected'));

test('typing changes a caption, and undo takes it back', async () => {
  const off = () =>
    [text.review.undo, text.review.redo].map((name) => control(name).getAttribute('aria-disabled'));
  expect(off()).toEqual(['true', 'true']);
  await type(field(2), 'It worked.');
  expect([texts()[1], current()]).toEqual(['It worked.', 2]);
  expect(off()).toEqual(['false', 'true']);
  await click(text.review.undo);
  expect([texts()[1], said()]).toEqual([LINES[1]!, text.review.undone(text.review.did['text']!)]);
  await click(text.review.redo);
  expect([texts()[1], said()]).toEqual([
    'It worked.',
    text.review.redone(text.review.did['text']!),
  ]);
});

test('text typed right after a command belongs to its own caption', async () => {
  const typedIn = field(3);
  // The row has not been drawn again when the text arrives.
  control(text.review.insert).click();
  typedIn.value = 'Good morning.';
  typedIn.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
  expect(texts().at(-1)).toBe('Good morning.');
  expect(texts().filter((line) => line === LINES[2])).toEqual([]);
});

test('continuous typing in one caption is one undo step', async () => {
  for (const typed of ['I', 'It', 'Its']) await type(field(2), typed);
  // Typing is not announced, or screen readers would never stop.
  expect(said()).toBe('');
  field(2).dispatchEvent(new FocusEvent('blur'));
  await type(field(2), 'Itself');
  await click(text.review.undo);
  expect(texts()[1]).toBe('Its');
  await click(text.review.undo);
  expect(texts()[1]).toBe(LINES[1]);
  expect(control(text.review.undo).getAttribute('aria-disabled')).toBe('true');
});

test('Enter, and the arrow in the last line, move to the next caption', async () => {
  field(1).focus();
  expect(await press('Enter')).toBe(true);
  expect([current(), document.activeElement === field(2)]).toEqual([2, true]);
  field(2).setSelectionRange(3, 3);
  expect(await press('ArrowDown')).toBe(true);
  expect(current()).toBe(3);
  // There is no caption below.
  field(3).setSelectionRange(3, 3);
  expect(await press('ArrowDown')).toBe(false);
  expect(await press('ArrowUp')).toBe(true);
  expect([current(), field(2).selectionStart]).toEqual([2, LINES[1]!.length]);
});

test('Backspace at the start merges with the previous caption, Delete at the end with the next', async () => {
  field(2).focus();
  field(2).setSelectionRange(0, 0);
  await press('Backspace');
  expect(texts()).toEqual([`${LINES[0]}\n${LINES[1]}`, LINES[2]!]);
  field(1).setSelectionRange(0, 0);
  expect(await press('Backspace')).toBe(false);
  field(1).setSelectionRange(field(1).value.length, field(1).value.length);
  await press('Delete');
  expect(texts()).toHaveLength(1);
  expect(times(1)).toEqual(['00:00:00,000', '00:00:08,000']);
});

test('a typed time moves an edge; an invalid one is refused with a message', async () => {
  await type(startOf(2), '2.5', { enter: true });
  expect(times(2)).toEqual(['00:00:02,500', '00:00:05,000']);
  await type(endOf(1), '99', { enter: true });
  expect(said()).toBe(text.review.moveLimits.next(2, '00:00:04,116'));
  await click(text.review.undo);
  await type(endOf(2), 'soon', { enter: true });
  expect([endOf(2).getAttribute('aria-invalid'), said()]).toEqual(['true', text.review.badTime]);
  await press('Escape', endOf(2));
  expect([endOf(2).value, endOf(2).getAttribute('aria-invalid')]).toEqual([
    '00:00:05,000',
    'false',
  ]);
});

test('clicks with Ctrl and Shift select captions, which are merged and deleted together', async () => {
  const number = (at: number) => control(text.review.goTo(at));
  await click(number(1), { ctrlKey: true });
  await click(number(3), { ctrlKey: true });
  expect(selected()).toEqual([true, false, true]);
  expect(rows().map((row) => row.getAttribute('aria-label'))).toEqual([
    text.review.cueSelected(1),
    text.review.cue(2),
    text.review.cueSelected(3),
  ]);
  await click(text.review.merge);
  expect([texts().length, said()]).toEqual([3, text.review.notTogether]);
  await click(number(3), { ctrlKey: true });
  await click(number(2), { shiftKey: true });
  // The caption that was clicked last is where it begins.
  expect(selected()).toEqual([false, true, true]);
  await click(text.review.delete);
  expect([texts(), said()]).toEqual([[LINES[0]!], text.review.deletedMany(2)]);
});

test('only the current caption can be reached by Tab', async () => {
  field(2).focus();
  await drawn();
  expect(all('.cue-text').map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1]);
  expect(rows().map((row) => row.getAttribute('aria-current'))).toEqual(['false', 'true', 'false']);
});

test('a caption that reads too fast has a warning and can be fixed', async () => {
  const long = 'There are far too many words in this caption for the time that it is shown here.';
  await openFile(srtOf(long, 'Good night.'));
  const [warned, fine] = rows();
  expect(warned!.querySelector('.cue-warnings')?.textContent).toContain('characters');
  expect(fine!.classList.contains('warned')).toBe(false);
  const fix = control(`${text.review.fix}: ${text.review.flags['line_length_above_maximum']}`);
  field(2).focus();
  await drawn();
  expect(fix.tabIndex).toBe(-1);
  field(1).focus();
  await drawn();
  expect(fix.tabIndex).toBe(0);
  await click(fix);
  expect(field(1).value).toContain('\n');
});

const says = text.review;

test('captions are downloaded in each format, under the name of the talk', async () => {
  await type(field(2), 'It worked.');
  await click(says.download);
  await until('the file', () => saved.has('talk.srt'));
  expect(await saved.get('talk.srt')!.text()).toContain(
    '00:00:03,000 --> 00:00:05,000\nIt worked.',
  );
  expect(said()).toBe(says.downloaded('talk.srt'));
  for (const [format, holds] of [
    ['vtt', 'WEBVTT'],
    ['ass', 'Dialogue:'],
    ['ttml', '<tt '],
    ['txt', 'It worked.'],
    ['json', '"lines":["It worked."]'],
    ['csv', 'It worked.'],
  ] as const) {
    await click(says.downloadAs);
    await click(control(says.downloadIn(format)));
    await until(format, () => saved.has(`talk.${format}`));
    expect(await saved.get(`talk.${format}`)!.text()).toContain(holds);
  }
});

test('spaces, empty lines and empty captions left from typing are not downloaded', async () => {
  await type(field(2), ' It worked. \n ');
  await type(field(3), ' ');
  saved.clear();
  await click(says.downloadAs);
  await click(control(says.downloadIn('json')));
  await until('the file', () => saved.has('talk.json'));
  const { cues } = JSON.parse(await saved.get('talk.json')!.text());
  expect(cues.map(({ lines }: { lines: string[] }) => lines)).toEqual([[LINES[0]], ['It worked.']]);
});

test('a file name has no characters that a file system refuses, and is not too long', async () => {
  for (const [recording, name] of [
    ['Talk: AI\u202e/v2?.srt', 'Talk_ AI_v2_.srt'],
    ['... .srt', 'captions.srt'],
    [`${'é'.repeat(150)}.srt`, `${'é'.repeat(100)}.srt`],
    [`${'a'.repeat(199)} b.srt`, `${'a'.repeat(199)}.srt`],
  ] as const) {
    await openFile(srtOf(...LINES), recording);
    await click(says.download);
    await until(name, () => said() === says.downloaded(name));
  }
});
