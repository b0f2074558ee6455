/** The panels next to the captions: the one that is open at first, and the commands that open each. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { all, field, one, openApp, openFile, openRun, until } from './support/app.ts';
import { open, panel } from './support/dialogs.ts';
import { press, submit, type } from './support/hands.ts';
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
