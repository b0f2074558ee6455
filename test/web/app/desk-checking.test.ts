/** Terms, doubtful words and warnings are checked. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  all,
  current,
  field,
  has,
  one,
  openApp,
  openFile,
  openRun,
  said,
  texts,
  until,
} from './support/app.ts';
import { CORRECTIONS, words, srtOf } from './support/talks.ts';
import { choose, click, press } from './support/hands.ts';
import { open, panel, tab } from './support/dialogs.ts';

const ann = await openApp();

describe('the check', () => {
  const says = text.review;

  beforeEach(async () => {
    await openRun(ann, words, CORRECTIONS);
    field(1).focus();
  });

  const whole = () => texts().join(' ').replaceAll('\n', ' ');

  test('a review with open terms opens with them, and shows how many are left', () => {
    expect(tab('terms').getAttribute('aria-selected')).toBe('true');
    expect(tab('terms').textContent).toBe(says.tabs.terms(2));
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(2));
    expect(one('.desk-title .left').textContent).toContain(says.leftTerms(2));
    expect(one('.desk-title .left').textContent).toContain(says.leftDoubts(2));
  });

  test('a term is accepted at one place, and then everywhere', async () => {
    await until('the terms', () => has(says.acceptAll(2)));
    const time = all('.term-sentence')[0]!.getAttribute('title')!.replace('Go to ', '');
    await click(says.acceptLabel('off kit', 'AuthKit', time));
    expect([whole().split('AuthKit').length, tab('terms').textContent]).toEqual([
      2,
      says.tabs.terms(1),
    ]);
    const marked = () => all('.term-sentence mark').map(({ textContent }) => textContent);
    expect(marked()).toEqual(['AuthKit', 'off kit']);
    await click(says.acceptAll(2));
    expect([whole().includes('off kit'), tab('terms').textContent]).toEqual([
      false,
      says.tabs.terms(0),
    ]);
    await click(says.undo);
    expect(whole().split('off kit')).toHaveLength(2);
    await click(says.rejectAll(2));
    expect([whole().split('off kit').length, tab('terms').textContent]).toEqual([
      3,
      says.tabs.terms(0),
    ]);
    expect(all('.state').map(({ textContent }) => textContent)).toEqual([
      says.decisions.rejected,
      says.decisions.rejected,
    ]);
  });

  test('keys move between terms, accept and reject', async () => {
    await press('F2');
    const [from, to] = [field(current()).selectionStart, field(current()).selectionEnd];
    expect(field(current()).value.slice(from, to).replaceAll('\n', ' ')).toBe('off kit');
    await press('Alt+KeyA');
    expect(whole().split('AuthKit')).toHaveLength(2);
    await press('F2');
    await press('Alt+KeyR');
    expect(tab('terms').textContent).toBe(says.tabs.terms(0));
    await press('F2');
    expect(said()).toBe(says.noneLeft);
    await press('Alt+KeyA');
    expect(said()).not.toBe('');
  });

  test('doubtful words are marked, listed and confirmed', async () => {
    const marked = () => all('.cue mark.doubt').length;
    expect(marked()).toBe(2);
    await open('doubts');
    await until('the words', () => all('.term').length === 2);
    expect(panel()).toContain(says.confidence(0.2));
    const word = one('mark', all('.term')[0]).textContent;
    await click(says.sureLabel(word));
    await until('one is left', () => all('.term').length === 1);
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    expect(marked()).toBe(1);
    await choose(one('.doubt-level select') as HTMLSelectElement, '0.95');
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    await press('F9', field(1));
    await press('Alt+KeyA');
    await until('none is left', () => panel().includes(says.doubtsNone));
    expect(marked()).toBe(0);
    await choose(one('.doubt-level select') as HTMLSelectElement, '0.6');
  });

  test('warnings are listed, lead to their captions, and are fixed together', async () => {
    const long =
      'There are far too many words in this caption for the two seconds that it is shown for here.';
    await openFile(srtOf('Good night.', long, long));
    await open('warnings');
    await until('the list', () => all('.warnings li').length > 0);
    const before = all('.warnings li').length;
    expect(tab('warnings').textContent).toBe(says.tabs.warnings(before));
    await click(all('.warnings button')[0]!);
    expect(current()).toBe(2);
    await press('F8', field(2));
    expect(current()).toBe(3);
    await click(says.fixEverything);
    await until('less is left', () => all('.warnings li').length < before);
    expect(said()).toBe(says.fixedMany(2));
  });
});

describe('the decisions', () => {
  const says = text.review;

  beforeEach(() => {
    ann.interrupt(null);
    localStorage.clear();
  });

  test('one decision applies to all places of a doubtful word, by a button and by a key', async () => {
    const doubted = words.map((word) => ({
      ...word,
      confidence: word.text === 'the' || word.text === 'off' ? 0.2 : 0.95,
    }));
    await openRun(ann, doubted);
    await open('doubts');
    await until('the words', () => all('.term').length === 3);
    expect(has(says.sureAll(2))).toBe(true);
    await click(says.sureAll(2));
    await until('one is left', () => all('.term').length === 1);
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    await click(says.undo);
    await until('all are back', () => all('.term').length === 3);
    await press('F9', field(1));
    await press('F9', document.activeElement!);
    await press('Alt+Shift+KeyA', document.activeElement!);
    await until('both are settled', () => tab('doubts').textContent === says.tabs.doubts(1));
  });
});

const says = text.review;

const named = (tab: string) => one(`[data-tab=${tab}]`).textContent;

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
