/** Captions are edited, found and replaced, given speakers and places, and downloaded; and what a review leaves behind. */
import { beforeEach, describe, expect, test } from 'bun:test';
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
  has,
  one,
  refusal,
  pageText,
} from './support/app.ts';
import { click, press, type, choose } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { saved } from './support/page.ts';
import { phone, speakersText } from '../../../web/texts/desk-parts.ts';
import { lossText } from '../../../web/texts/caption-files.ts';
import { saveText } from '../../../web/texts/saving.ts';
import { open } from './support/dialogs.ts';
import { video } from './support/recordings.ts';

const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];

const says = text.review;
const ann = await openApp();

beforeEach(() => openFile(srtOf(...LINES)));

const startOf = (number: number) => input(says.cueStart(number));

const endOf = (number: number) => input(says.cueEnd(number));

const selected = () => rows().map((row) => row.classList.contains('selected'));

test('typing changes a caption, and undo takes it back', async () => {
  const off = () =>
    [says.undo, says.redo].map((name) => control(name).getAttribute('aria-disabled'));
  expect(off()).toEqual(['true', 'true']);
  await type(field(2), 'It worked.');
  expect([texts()[1], current()]).toEqual(['It worked.', 2]);
  expect(off()).toEqual(['false', 'true']);
  await click(says.undo);
  expect([texts()[1], said()]).toEqual([LINES[1]!, says.undone(says.did['text']!)]);
  await click(says.redo);
  expect([texts()[1], said()]).toEqual(['It worked.', says.redone(says.did['text']!)]);
});

test('text typed right after a command belongs to its own caption', async () => {
  const typedIn = field(3);
  // The row has not been drawn again when the text arrives.
  control(says.insert).click();
  typedIn.value = 'Good morning.';
  typedIn.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
  expect(texts().at(-1)).toBe('Good morning.');
  expect(texts().filter((line) => line === LINES[2])).toEqual([]);
});

test('letters typed before the page is painted are one edit, which a command counts in', async () => {
  const typedIn = field(2);
  typedIn.focus();
  for (const letter of 'xyz') {
    typedIn.dispatchEvent(new KeyboardEvent('keydown', { key: letter, bubbles: true }));
    typedIn.value += letter;
    typedIn.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  await press('Ctrl+KeyZ', typedIn);
  expect([texts()[1], said()]).toEqual([LINES[1]!, says.undone(says.did['text']!)]);
  await press('Ctrl+Shift+KeyZ', typedIn);
  expect(texts()[1]).toBe(`${LINES[1]}xyz`);
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
  expect(said()).toBe(says.moveLimits.next(2, '00:00:04,116'));
  await click(says.undo);
  await type(endOf(2), 'soon', { enter: true });
  expect([endOf(2).getAttribute('aria-invalid'), said()]).toEqual(['true', says.badTime]);
  await press('Escape', endOf(2));
  expect([endOf(2).value, endOf(2).getAttribute('aria-invalid')]).toEqual([
    '00:00:05,000',
    'false',
  ]);
});

test('clicks with Ctrl and Shift select captions, which are merged and deleted together', async () => {
  const number = (at: number) => control(says.goTo(at));
  await click(number(1), { ctrlKey: true });
  await click(number(3), { ctrlKey: true });
  expect(selected()).toEqual([true, false, true]);
  expect(rows().map((row) => row.getAttribute('aria-label'))).toEqual([
    says.cueSelected(1),
    says.cue(2),
    says.cueSelected(3),
  ]);
  await click(says.merge);
  expect([texts().length, said()]).toEqual([3, says.notTogether]);
  await click(number(3), { ctrlKey: true });
  await click(number(2), { shiftKey: true });
  // The caption that was clicked last is where it begins.
  expect(selected()).toEqual([false, true, true]);
  await click(says.delete);
  expect([texts(), said()]).toEqual([[LINES[0]!], says.deletedMany(2)]);
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
  const fix = control(`${says.fix}: ${says.flags['line_length_above_maximum']}`);
  field(2).focus();
  await drawn();
  expect(fix.tabIndex).toBe(-1);
  field(1).focus();
  await drawn();
  expect(fix.tabIndex).toBe(0);
  await click(fix);
  expect(field(1).value).toContain('\n');
});

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

test('what a format does not hold is listed before the download, once', async () => {
  await openFile('WEBVTT\n\n00:01.000 --> 00:02.000 line:0\n<v Ann>Hello.\n', 'talk.vtt');
  saved.clear();
  const ask = async () => {
    await click(says.downloadAs);
    await click(control(says.downloadIn('sbv')));
  };
  await ask();
  await until('the question', () => pageText().includes('does not hold the positions'));
  expect([pageText().includes('the names of speakers of one caption'), saved.size]).toEqual([
    true,
    0,
  ]);
  await click(lossText.save);
  await until('the file', () => saved.has('talk.sbv'));
  saved.clear();
  await ask();
  await until('the file again', () => saved.has('talk.sbv'));
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
    [`a${'𠮷'.repeat(150)}.srt`, `a${'𠮷'.repeat(49)}.srt`],
    ['..\\..\\x.srt', '_.._x.srt'],
  ] as const) {
    await openFile(srtOf(...LINES), recording);
    await click(says.download);
    await until(name, () => said() === says.downloaded(name));
  }
});

describe('finding', () => {
  const LINES = ['The skim client sends skim.', 'Skimming is not it.', 'One skim more.'];

  beforeEach(async () => {
    await openFile(srtOf(...LINES));
    field(1).focus();
    await press('Ctrl+KeyH');
    await until('the bar', () => has(says.findLabel));
  });

  const find = (query: string) => type(input(says.findLabel), query);
  const replaceBy = (words: string) => type(input(says.replaceLabel), words);
  const count = () => one('.find-count').textContent;

  test('all matches are counted and marked, and Enter moves between them', async () => {
    await find('skim');
    expect(count()).toBe(says.matches(1, 4));
    expect(all('.cue mark').length).toBeGreaterThanOrEqual(4);
    expect(one('.find-context mark').textContent).toBe('skim');
    await click(says.next);
    await click(says.next);
    expect([count(), current()]).toEqual([says.matches(3, 4), 2]);
    await click(says.previous);
    expect([count(), current()]).toEqual([says.matches(2, 4), 1]);
    await press('Shift+Enter', control(says.findLabel));
    await press('Shift+Enter', control(says.findLabel));
    expect([count(), current()]).toEqual([says.matches(4, 4), 3]);
  });

  test('case, whole words and expressions narrow the search, also by keyboard', async () => {
    await find('skim');
    await choose(input(says.wholeWord), true);
    expect(count()).toBe(says.matches(1, 3));
    await press('Alt+KeyW', control(says.findLabel));
    await press('Alt+KeyC', control(says.findLabel));
    expect(count()).toBe(says.matches(1, 3));
    await press('Alt+KeyC', control(says.findLabel));
    await press('Alt+KeyR', control(says.findLabel));
    await find('sk(i');
    expect(count()).toBe(says.wrongExpression);
    expect(control(says.findLabel).getAttribute('aria-invalid')).toBe('true');
  });

  test('one match is replaced, and the next one is shown', async () => {
    await find('skim');
    await replaceBy('SCIM');
    await click(says.replace);
    expect([texts()[0], count()]).toEqual(['The SCIM client sends skim.', says.matches(1, 3)]);
    await click(says.replace);
    expect([texts()[0], current()]).toEqual(['The SCIM client sends SCIM.', 2]);
  });

  test('all matches are replaced in one step', async () => {
    await find('skim');
    await replaceBy('SCIM');
    await press('Ctrl+Alt+Enter', control(says.findLabel));
    expect([texts()[2], said()]).toEqual(['One SCIM more.', says.replaced(4)]);
    await click(says.undo);
    expect(texts()).toEqual(LINES);
  });

  test('a replacement is added to the terms of the workspace', async () => {
    expect(has(says.remember)).toBe(false);
    await find('skim');
    await replaceBy('SCIM');
    await click(says.remember);
    await until('the answer', () => said() === says.remembered('skim', 'SCIM'));
    const stored = await ann.service.ask('/terminology/terms', { key: ann.key });
    expect(await stored.text()).toContain('"SCIM"');
    ann.interrupt(({ method }) =>
      method === 'PATCH' ? refusal(403, 'forbidden', 'Not you.') : null,
    );
    await click(says.undo);
    await click(says.remember);
    await until('the refusal', () => said() === text.run.refused('Not you.'));
    ann.interrupt(null);
  });
});

/** Whether the page accepts files that are dragged over it. */
const takesFiles = () =>
  !dispatchEvent(
    Object.assign(new Event('dragover', { cancelable: true }), {
      dataTransfer: { types: ['Files'] },
    }),
  );

test('a review that was left takes neither keys nor files, and gives the page its width back', async () => {
  await openFile(srtOf('Good night.'));
  await until('the width', () => document.body.className === 'reviewing');
  await until('the files', takesFiles);
  expect(await press('Ctrl+KeyF')).toBe(true);
  one('#content').focus();
  one('#content').blur();
  location.hash = '#/runs';
  await until('the past runs', () => document.querySelector('#past-runs-title'));
  await until('the focus', () => document.activeElement?.id === 'content');
  expect([document.body.className, await press('Ctrl+KeyF')]).toEqual(['', false]);
  expect(takesFiles()).toBe(false);
});

test('a hidden page leaves the review to other tabs, and takes part again once it is shown', async () => {
  await openFile(srtOf('Good night.'));
  dispatchEvent(new Event('pagehide'));
  await until('the notice', () => pageText().includes(saveText.otherTab));
  expect(field(1).readOnly).toBe(true);
  const show = async (persisted: boolean) => {
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    await drawn();
  };
  await show(false);
  expect(field(1).readOnly).toBe(true);
  await show(true);
  await until('the turn', () => !field(1).readOnly);
  expect([pageText().includes(saveText.otherTab), texts()]).toEqual([false, ['Good night.']]);
});

test('shortcuts work while a caption is shifted, and not behind a dialog', async () => {
  await openFile(srtOf('Good night.', 'Good morning.'));
  field(1).focus();
  await drawn();
  await press('Alt+KeyS');
  const by = await until('the form', () => document.querySelector('form.shift input'));
  expect(await press('Ctrl+KeyK', by)).toBe(true);
  await until('the palette', () => document.querySelector('dialog[open]'));
  expect(await press('Alt+Delete', one('dialog input'))).toBe(false);
  expect(texts()).toHaveLength(2);
});

const media = () => one('video') as HTMLVideoElement;

test('a line gets its own speaker, and Enter confirms a name', async () => {
  await openFile(srtOf('Hello.\nGood evening.', 'Good night.'));
  field(1).focus();
  await open('speakers');
  await until('the panel', () => has(speakersText.add));
  for (const name of ['Ann', 'Ben']) {
    await type(input(speakersText.add), name);
    await click(speakersText.addDo);
  }
  // The caption has the speaker named last, so the first one has no captions.
  expect(all('.speakers li')).toHaveLength(1);
  field(2).focus();
  await drawn();
  await type(input(speakersText.add), 'Ann');
  await click(speakersText.addDo);
  await until('both', () => all('.speakers li').length === 2);
  field(1).focus();
  await drawn();
  const lines = () => all('.speaker-lines select') as HTMLSelectElement[];
  expect(lines().map(({ value }) => value)).toEqual(['Ben', 'Ben']);
  await choose(lines()[1]!, 'Ann');
  expect([texts()[0], lines().map(({ value }) => value)]).toEqual([
    '-Hello.\n-Good evening.',
    ['Ben', 'Ann'],
  ]);
  await choose(lines()[1]!, '');
  expect(texts()[0]).toBe('Hello.\nGood evening.');
  const name = input(speakersText.name('Ann'));
  name.value = 'Eve';
  await press('KeyE', name);
  expect(has(speakersText.name('Ann'))).toBe(true);
  await press('Enter', name);
  await until('the name', () => has(speakersText.name('Eve')));
  const give = () => control(speakersText.giveLabel('Eve', speakersText.current(2)));
  field(2).focus();
  await drawn();
  expect(give().getAttribute('aria-pressed')).toBe('true');
});

test('a turn is given to somebody at once, all of one speaker is read, and two speakers become one', async () => {
  await openFile(srtOf('One.', 'Two.', 'Three.', 'Four.'));
  await open('speakers');
  await until('the panel', () => has(speakersText.add));
  const give = async (number: number, name: string) => {
    field(number).focus();
    await drawn();
    await type(input(speakersText.add), name);
    await click(speakersText.addDo);
  };
  for (const number of [1, 4]) await give(number, 'Ann');
  for (const number of [2, 3]) await give(number, 'Ben');
  await choose(input(speakersText.turn), true);
  await give(3, 'Cleo');
  const named = () => all('.cue-speakers').map(({ textContent }) => textContent);
  await until('the whole turn', () => named().join() === 'Ann,Cleo,Cleo,Ann');
  const details = all('.speaker-more details')[0] as HTMLDetailsElement;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await until('what Ann says', () => all('.speaker-says button').length === 2);
  all('.speaker-says button')[1]!.click();
  await until('her caption', () => current() === 4);
  await choose(input(speakersText.same('Cleo')), 'Ann');
  await until('one', () => named().join() === 'Ann,Ann,Ann,Ann');
});

test('captions are moved to the top and to a side of the picture and back, several at once', async () => {
  await openFile(srtOf('One.', 'Two.', 'Three.'), 'talk.srt', video);
  field(1).focus();
  await press('Ctrl+Shift+ArrowDown');
  await open('speakers');
  await until('the panel', () => has(speakersText.height));
  await choose(input(speakersText.height), 'top');
  await choose(input(speakersText.side), 'end');
  media().currentTime = 1;
  await until('the caption', () => one('.overlay').className.includes('top'));
  media().currentTime = 4;
  await until('the next', () => one('.overlay').textContent === 'Two.');
  expect(one('.overlay').className).toContain('top end');
  await choose(input(speakersText.height), '');
  await choose(input(speakersText.side), '');
  expect(one('.overlay').className.trim()).toBe('overlay');
});

test('on a narrow screen one part is shown at a time, with the caption pinned below it', async () => {
  await openFile(srtOf('Good evening.', 'Good night.'));
  await until('the bar', () => document.querySelector('.phone-bar'));
  const part = () => one('.desk').dataset['part'];
  expect([part(), document.querySelector('.pinned')]).toEqual(['captions', null]);
  const bar = one('.phone-bar');
  field(2).focus();
  await drawn();
  await click(control(phone.parts.sound, bar));
  expect([part(), control(phone.parts.sound, bar).getAttribute('aria-pressed')]).toEqual([
    'sound',
    'true',
  ]);
  expect(one('.pinned').textContent).toBe(`${phone.editCaption(2)}2 · 00:03.0Good night.`);
  await click(one('.pinned'));
  expect([part(), document.activeElement === field(2), field(2).selectionStart]).toEqual([
    'captions',
    true,
    'Good night.'.length,
  ]);
  await click(control(phone.parts.check, bar));
  expect(part()).toBe('check');
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  // The buttons are not in the page twice.
  expect(all('.tools')).toHaveLength(1);
  await click(control(text.close, one('dialog')));
  await until('no dialog', () => !document.querySelector('dialog'));
  expect(all('.tools')).toHaveLength(1);
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  const tools = one('dialog');
  await click(control(says.compare, tools));
  await until('the comparison', () =>
    document.querySelector('dialog')?.textContent.includes(says.compareNone),
  );
  // Browsers report only now that the dialog of the tools was closed.
  tools.dispatchEvent(new Event('close'));
  await drawn();
  await click(control(text.close, one('dialog')));
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  await click(control(says.find, one('dialog')));
  await until('the bar', () => has(says.findLabel));
  expect(document.querySelector('dialog')).toBeNull();
  expect(times(2)).toEqual(['00:00:03,000', '00:00:05,000']);
});
