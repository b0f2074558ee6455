/** What a review changes in the page is undone when it is left: keys, dropped files, the width and the lock. */
import { expect, test } from 'bun:test';
import { tabText } from '../../../web/texts/desk-parts.ts';
import { drawn, field, one, openApp, openFile, pageText, texts, until } from './support/app.ts';
import { press } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

await openApp();

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
  await until('the notice', () => pageText().includes(tabText.otherTab));
  expect(field(1).readOnly).toBe(true);
  const show = async (persisted: boolean) => {
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    await drawn();
  };
  await show(false);
  expect(field(1).readOnly).toBe(true);
  await show(true);
  await until('the turn', () => !field(1).readOnly);
  expect([pageText().includes(tabText.otherTab), texts()]).toEqual([false, ['Good night.']]);
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
