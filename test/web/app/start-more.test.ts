/** More of the start page: groups that unfold, leftover recordings, and a browser that stores nothing. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { languages } from '../../../web/start/languages.ts';
import { text } from '../../support/browser/words.ts';
import { all, goToStart, one, openApp, pageText, until } from './support/app.ts';
import { click, giveFiles } from './support/hands.ts';
import { srtOf } from './support/srt.ts';

const says = text.start;
await openApp();
const { draft } = await import('../../../web/start/draft.ts');
beforeEach(goToStart);
afterEach(() => {
  jest.restoreAllMocks();
  draft.packs.value = new Set();
  draft.exclude.value = '';
});

const pick = (...files: File[]) => giveFiles(one('.drop input[type=file]'), files);
const captions = (name: string) => new File([srtOf('Good night.')], name);

/** Whether the packs are unfolded when the start page is opened. */
async function packsAreOpen(): Promise<boolean> {
  location.hash = '#/runs';
  await until('the past runs', () => document.querySelector('#past-runs-title'));
  await goToStart();
  const group = await until('the packs', () =>
    all('details').find((each) => one('summary', each).textContent === text.terms.packs),
  );
  return (group as HTMLDetailsElement).open;
}

test('the packs are unfolded if packs were chosen or terms excluded', async () => {
  expect(await packsAreOpen()).toBe(false);
  draft.packs.value = new Set(['protocols/mcp']);
  expect(await packsAreOpen()).toBe(true);
  draft.packs.value = new Set();
  draft.exclude.value = 'SAML';
  expect(await packsAreOpen()).toBe(true);
});

test('a browser that stores nothing says so, for captions and for the sample', async () => {
  spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No.', 'SecurityError');
  });
  const remark = () => one('.remark').textContent;
  await pick(captions('own.srt'));
  await until('the refusal', () => remark() === says.keepsNothing);
  await pick(new File([], 'nothing.mp3'));
  await until('another remark', () => remark() === says.empty('nothing.mp3'));
  await click(says.sample);
  await until('the refusal', () => remark() === says.keepsNothing);
});

test('a recording that belongs to none of several caption files stays chosen', async () => {
  const recording = new File(['film'], 'other.mp4');
  await pick(captions('day.srt'), captions('eve.srt'), recording);
  await until('the list', () => location.hash === '#/queue' && pageText().includes('eve.srt'));
  await goToStart();
  await until('the recording', () => one('.drop-title').textContent?.includes('other.mp4'));
});

test('the languages begin with English, and go on by name', () => {
  const [first, ...names] = languages().map(([, name]) => name);
  expect(first).toBe('English');
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
});
