/** The layout of the list of captions: the rows in the page, their heights, and scrolling. */
import './support/page.ts';
import { beforeEach, expect, test } from 'bun:test';
import {
  all,
  current,
  drawn,
  field,
  has,
  input,
  one,
  openApp,
  openFile,
  texts,
  until,
} from './support/app.ts';
import { text } from '../../support/browser/words.ts';
import { gridText } from '../../../web/texts/caption-files.ts';
import { click, press, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

type Sizes = { target: Element; contentRect: { width: number; height: number } }[];

/** Resize observers, which a test notifies. */
class Observer {
  static all: Observer[] = [];
  readonly watched = new Set<Element>();
  readonly tell: (sizes: Sizes) => void;

  constructor(tell: Observer['tell']) {
    this.tell = tell;
    Observer.all.push(this);
  }
  observe = (element: Element) => void this.watched.add(element);
  unobserve = (element: Element) => void this.watched.delete(element);
  disconnect = () => this.watched.clear();
}
Reflect.set(globalThis, 'ResizeObserver', Observer);

/** The heights of rows as laid out, by caption id; the others have none. */
const heights = new Map<string, number>();
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
  configurable: true,
  get(this: HTMLElement) {
    return heights.get(this.dataset['id'] ?? '') ?? 0;
  },
});
Object.defineProperty(HTMLElement.prototype, 'clientHeight', {
  configurable: true,
  get(this: HTMLElement) {
    return this.className === 'cue-list' ? 600 : 0;
  },
});

await openApp();
/** A row of one line counts as 73 px high until it is measured. */
const ROW = 73;
const LINES = Array.from({ length: 100 }, (_, at) => `Caption ${at + 1}`);

const list = () => one('.cue-list');
const rows = () => all('.cue').map((row) => Number(row.dataset['id']));
const topOf = (id: number) => Number(one(`.cue[data-id="${id}"]`).dataset['top']);

/** Notifies all observers of an element's size. */
async function resize(element: Element, width: number, height: number): Promise<void> {
  for (const observer of Observer.all) {
    if (observer.watched.has(element))
      observer.tell([{ target: element, contentRect: { width, height } }]);
  }
  await drawn();
}

async function measure(id: number, height: number): Promise<void> {
  heights.set(String(id), height);
  await resize(one(`.cue[data-id="${id}"]`), 500, height);
}

async function scroll(to: number): Promise<void> {
  list().scrollTop = to;
  list().dispatchEvent(new Event('scroll'));
  await drawn();
}

beforeEach(async () => {
  heights.clear();
  Observer.all = [];
  await openFile(srtOf(...LINES));
  await resize(list(), 500, 600);
  await scroll(0);
});

test('only the rows near the visible part are in the page', async () => {
  // 600 px and 400 px beyond: the row that begins before 1,000 px is the last.
  expect(rows()).toEqual(Array.from({ length: 14 }, (_, at) => at + 1));
  expect(one('.cue[data-id="2"]').getAttribute('aria-setsize')).toBe('100');
  expect(one('.cues').style.height).toBe(`${100 * ROW}px`);
  expect([topOf(1), topOf(2), topOf(14)]).toEqual([0, ROW, 13 * ROW]);
  await scroll(50 * ROW);
  expect([rows()[0], rows().at(-1)]).toEqual([45, 64]);
  await scroll(100 * ROW);
  expect(rows().at(-1)).toBe(100);
  await resize(list(), 500, 60);
  await scroll(0);
  expect(rows().at(-1)).toBe(7);
});

test('measured heights move the rows below', async () => {
  await measure(1, 100);
  expect([topOf(1), topOf(2), topOf(3)]).toEqual([0, 100, 173]);
  expect(one('.cues').style.height).toBe(`${100 + 99 * ROW}px`);
  // A hidden list has no heights.
  await measure(2, 0);
  expect(topOf(3)).toBe(173);
  await measure(1, 73);
  expect(topOf(2)).toBe(73);
});

test('rows that are measured above the visible part do not move what is visible', async () => {
  await scroll(10 * ROW);
  await measure(9, 93);
  expect(list().scrollTop).toBe(10 * ROW + 20);
  await measure(9, 83);
  expect(list().scrollTop).toBe(10 * ROW + 10);
  // Rows in the visible part grow downwards.
  await measure(11, 200);
  expect(list().scrollTop).toBe(10 * ROW + 10);
  await scroll(8 * ROW + 83);
  await measure(9, 183);
  expect(list().scrollTop).toBe(8 * ROW + 183);
});

test('the row with the focus stays in the page, in its place', async () => {
  field(2).focus();
  await drawn();
  await scroll(60 * ROW);
  expect([rows()[0], rows()[1]! > 40]).toEqual([2, true]);
  expect(document.activeElement?.closest<HTMLElement>('.cue')?.dataset['id']).toBe('2');
  (document.activeElement as HTMLElement).blur();
  await drawn();
  expect(rows()[0]! > 40).toBe(true);
  one('.cue[data-id="65"] textarea').focus();
  await drawn();
  await scroll(0);
  expect([rows().at(-1), rows().at(-2)]).toEqual([65, 14]);
  // The same for the row right after the last one.
  await scroll(3 * ROW);
  one('.cue[data-id="15"] textarea').focus();
  await drawn();
  await scroll(0);
  expect([rows().at(-1), rows().at(-2)]).toEqual([15, 14]);
});

test('a distant caption gets the cursor once its row is in the page', async () => {
  field(1).focus();
  await drawn();
  await press('Ctrl+KeyF');
  const query = await until('the bar', () =>
    document.querySelector<HTMLInputElement>('.find-bar input'),
  );
  await type(query, 'Caption 77');
  await until('the row', () => document.querySelector('.cue[data-id="77"]'));
  expect(list().scrollTop).toBe(76 * ROW - 200);
  await press('Escape', query);
  await until('the text', () => {
    const held = document.activeElement?.closest<HTMLElement>('.cue');
    return held?.dataset['id'] === '77';
  });
  const area = document.activeElement as HTMLTextAreaElement;
  expect([area.selectionStart, area.selectionEnd]).toEqual([0, 10]);
});

test('rows stay in place while the pointer is pressed on one', async () => {
  const row = one('.cue[data-id="3"]');
  const point = (kind: string, on: Element) =>
    on.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  point('pointerdown', row);
  await measure(1, 200);
  expect(topOf(2)).toBe(ROW);
  point('pointerup', row);
  // The click comes only now, before the next task.
  for (let at = 0; at < 10; at += 1) await Promise.resolve();
  expect(topOf(2)).toBe(ROW);
  await until('the new places', () => topOf(2) === 200);
  // A press elsewhere does not delay the new places.
  point('pointerdown', document.body);
  await measure(1, 100);
  expect(topOf(2)).toBe(100);
  point('pointerup', document.body);
  await drawn();
  point('pointerdown', row);
  await measure(1, 200);
  expect(topOf(2)).toBe(100);
  point('pointercancel', row);
  await until('the new places', () => topOf(2) === 200);
});

test('the dense grid has a row for each caption, in the order of what is sought, and leads to its text', async () => {
  await openFile(
    srtOf('Slow.', 'So many words that nobody could ever read them all in time.', 'Good night.'),
  );
  await press('Alt+Shift+KeyG', one('.cue-list'));
  await until('the grid', () => document.querySelector('.grid-rows'));
  const numbers = () => all('.grid-rows tbody button').map(({ textContent }) => textContent);
  expect(numbers()).toEqual(['1', '2', '3']);
  await click(one('th.col-speed button'));
  expect([numbers(), one('th.col-speed').getAttribute('aria-sort')]).toEqual([
    ['2', '3', '1'],
    'descending',
  ]);
  await click(gridText.columns);
  await click(all('[role^=menuitem]').find((item) => item.textContent?.includes('CPS'))!);
  expect(document.querySelector('th.col-speed')).toBeNull();
  // Rows stay where they are while one types; the mark begins a line, and Enter leads to the row below.
  await click(all('.grid-rows tbody tr')[0]!);
  await until('the field', () => has(text.review.cueText(2)));
  const typedIn = input(text.review.cueText(2));
  typedIn.focus();
  await type(typedIn, 'Few words | here.');
  expect(numbers()).toEqual(['2', '3', '1']);
  await press('Enter', typedIn);
  await until('the row below', () => document.activeElement === input(text.review.cueText(3)));
  await type(input(text.review.cueStart(3)), '12.5');
  await click(all('.grid-rows tbody button')[0]!);
  await until('the list', () => document.querySelector('.cue-list textarea'));
  expect([current(), texts()[1]]).toEqual([2, 'Few words\nhere.']);
});
