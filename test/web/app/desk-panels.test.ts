/** The panels next to the captions: the one that is open at first, and the commands that open each. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { all, control, field, one, openApp, openFile, openRun, until } from './support/app.ts';
import { command, open, panel } from './support/dialogs.ts';
import { click, press, submit, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

const says = text.review;
const ann = await openApp();
const TALK = spoken('Welcome to the talk. We are glad that you are here. Thank you all.');

const chosen = () => one('[role=tab][aria-selected=true]').dataset['tab'];
const named = (tab: string) => one(`[data-tab=${tab}]`).textContent;

test('doubtful words come first if there are no terms', async () => {
  await openRun(
    ann,
    TALK.map((word, at) => ({ ...word, confidence: at === 3 ? 0.2 : 0.95 })),
  );
  await until('the tab', () => chosen() === 'doubts');
  expect([named('terms'), named('doubts')]).toEqual([says.tabs.terms(0), says.tabs.doubts(1)]);
});

test('then warnings, and the report if nothing is left to check', async () => {
  await openFile(
    srtOf('So many words that nobody could ever read all of them in these two seconds.'),
  );
  await until('the warnings', () => chosen() === 'warnings');
  expect(named('warnings')).toBe(says.tabs.warnings(2));
  await openRun(
    ann,
    TALK.map((word) => ({ ...word, confidence: 0.95 })),
  );
  await until('the figures', () => chosen() === 'report');
});

test('once no caption is left, nothing is judged', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  expect(one('.time-buttons-for').textContent).toBe(says.current(1));
  expect(named('report')).toBe(says.tabs.report(1));
  await press('Alt+Delete', field(1));
  expect(one('.time-buttons-for').textContent).toBe('');
  expect(named('report')).toBe(says.tabs.report(null));
  expect(one('.desk-title .left').textContent).not.toContain(says.done);
  await open('warnings');
  await until('the panel', () => panel().includes(says.noneYet));
  expect(one('[role=tabpanel]').tabIndex).toBe(-1);
  await open('report');
  expect(one('[role=tabpanel]').tabIndex).toBe(0);
});

test('a publisher’s rules can be selected by name, and then the limits of the run again', async () => {
  await openFile(srtOf('Too many words that one could ever read in two seconds of time.'));
  for (const [name, value] of [
    ['netf', 'netflix'],
    ['the bbc', 'bbc'],
    ['dcmp', 'dcmp'],
    ['youtube’s', 'youtube'],
    ['limits of', ''],
  ] as const) {
    await command(name);
    await until(name, () => {
      const choice = document.querySelector<HTMLSelectElement>('.profile-choice select');
      return choice?.value === value && document.activeElement === one('[data-tab=warnings]');
    });
  }
});

test('a new speaker is named with a shortcut, and gets the selected captions', async () => {
  await openFile(srtOf('Hello.', 'Good evening.', 'Good night.'));
  field(1).focus();
  await press('Ctrl+Shift+ArrowDown');
  await press('Alt+Shift+KeyS');
  const name = await until('the field', () => {
    const found = document.querySelector<HTMLInputElement>('.new-speaker input');
    return found === document.activeElement && found;
  });
  await type(name, 'Ada');
  await submit(name.form!);
  await until('the speakers', () => all('.cue .cue-speakers').length === 2);
});

test('Undo and Redo are off while there is nothing to undo or redo', async () => {
  await openFile(srtOf('Good night.'));
  const off = () =>
    [says.undo, says.redo].map((name) => control(name).getAttribute('aria-disabled'));
  expect(off()).toEqual(['true', 'true']);
  await type(field(1), 'Good day.');
  expect(off()).toEqual(['false', 'true']);
  await click(says.undo);
  expect(off()).toEqual(['true', 'false']);
});

test('every tool has its name below its icon, in three groups', () => {
  const tools = (group: string) =>
    [...one(`.tools [aria-label="${group}"]`).querySelectorAll('.tool')].map(
      (tool) => tool.textContent,
    );
  expect(tools(says.toolGroups.edit)).toEqual([
    says.split,
    says.merge,
    says.insert,
    says.delete,
    says.more,
  ]);
  expect(tools(says.toolGroups.time)).toEqual([
    says.in,
    says.out,
    says.sooner,
    says.laterShort,
    says.timing,
  ]);
  expect(tools(says.toolGroups.history)).toEqual([says.undo, says.redo, says.compare]);
  expect(says.laterShort).not.toBe('');
});
