/** Finding and replacing in the review. */
import { beforeEach, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  current,
  field,
  has,
  input,
  one,
  openApp,
  openFile,
  refusal,
  said,
  texts,
  until,
} from './support/app.ts';
import { choose, click, press, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

const LINES = ['The skim client sends skim.', 'Skimming is not it.', 'One skim more.'];
const says = text.review;

const ann = await openApp();
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
