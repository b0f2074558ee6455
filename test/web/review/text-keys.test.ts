/** Keys in the text of a caption: those that leave or merge it, and those left to the browser. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { pressInText } from '../../../web/review/desk/cue-row.tsx';
import { desk as deskOf } from '../support/desk.ts';
import { usePage } from '../support/page.ts';

usePage();

const LINES = ['One', 'Two\nlines', 'Three'];
let desk: ReturnType<typeof deskOf>;
const did: string[] = [];

beforeEach(() => {
  desk = deskOf(LINES);
  did.length = 0;
});

interface Key {
  /** Where the cursor is: its offset, or a selection. Default: the beginning. */
  at?: number | [number, number];
  ctrl?: boolean;
  alt?: boolean;
  meta?: boolean;
  shift?: boolean;
  repeat?: boolean;
  composing?: boolean;
}

/** Presses a key in the text of a caption (the first is 1); returns whether it was accepted, and what it did. */
function press(code: string, caption: number, { at = 0, ...key }: Key = {}) {
  desk.go(caption);
  did.length = 0;
  const [selectionStart, selectionEnd] = typeof at === 'number' ? [at, at] : at;
  const list = { focus: () => did.push('list') };
  let isTaken = false;
  const record =
    (name: string) =>
    (...given: unknown[]) =>
      void did.push([name, ...given].join(' ').trim());
  const navigation = { next: record('next'), previous: record('previous') };
  const commands = { merge: record('merge'), mergeBack: record('mergeBack') };
  const { review, selection } = desk;
  pressInText(
    {
      code,
      altKey: key.alt ?? false,
      ctrlKey: key.ctrl ?? false,
      metaKey: key.meta ?? false,
      shiftKey: key.shift ?? false,
      repeat: key.repeat ?? false,
      isComposing: key.composing ?? false,
      preventDefault: () => (isTaken = true),
      currentTarget: {
        selectionStart,
        selectionEnd,
        value: LINES[caption - 1]!,
        closest: (selector: string) => (selector === '.cue-list' ? list : null),
      },
    } as unknown as Parameters<typeof pressInText>[0],
    { navigation, commands, selection, review } as unknown as Desk,
  );
  return [isTaken, ...did];
}

const NOT_TAKEN = [false];

test('Enter moves to the next caption, and Shift+Enter begins a line', () => {
  expect(press('Enter', 1)).toEqual([true, 'next']);
  expect(press('NumpadEnter', 3)).toEqual([true, 'next']);
  expect(press('Enter', 1, { shift: true })).toEqual(NOT_TAKEN);
});

test('the arrow down leaves the last line, if there is a caption below', () => {
  expect(press('ArrowDown', 1, { at: 2 })).toEqual([true, 'next']);
  expect(press('ArrowDown', 3, { at: 2 })).toEqual(NOT_TAKEN);
  expect(press('ArrowDown', 2, { at: 2 })).toEqual(NOT_TAKEN);
  expect(press('ArrowDown', 2, { at: 4 })).toEqual([true, 'next']);
  expect(press('ArrowDown', 1, { at: [1, 2] })).toEqual(NOT_TAKEN);
  expect(press('ArrowDown', 1, { at: 2, shift: true })).toEqual(NOT_TAKEN);
});

test('the arrow up leaves the first line for the end of the caption above', () => {
  expect(press('ArrowUp', 2, { at: 3 })).toEqual([true, 'previous end']);
  expect(press('ArrowUp', 2, { at: 4 })).toEqual(NOT_TAKEN);
  expect(press('ArrowUp', 1, { at: 2 })).toEqual(NOT_TAKEN);
  expect(press('ArrowUp', 3, { at: [0, 2] })).toEqual(NOT_TAKEN);
  expect(press('ArrowUp', 3, { at: 2, shift: true })).toEqual(NOT_TAKEN);
});

test('Backspace at the beginning merges with the caption above, unless it is held down', () => {
  expect(press('Backspace', 2)).toEqual([true, 'mergeBack']);
  expect(press('Backspace', 2, { at: 1 })).toEqual(NOT_TAKEN);
  expect(press('Backspace', 2, { at: [0, 1] })).toEqual(NOT_TAKEN);
  expect(press('Backspace', 1)).toEqual(NOT_TAKEN);
  expect(press('Backspace', 2, { repeat: true })).toEqual(NOT_TAKEN);
});

test('Delete at the end merges with the caption below, unless it is held down', () => {
  expect(press('Delete', 1, { at: 3 })).toEqual([true, 'merge']);
  expect(press('Delete', 1, { at: 2 })).toEqual(NOT_TAKEN);
  expect(press('Delete', 1, { at: [2, 3] })).toEqual(NOT_TAKEN);
  expect(press('Delete', 3, { at: 5 })).toEqual(NOT_TAKEN);
  expect(press('Delete', 1, { at: 3, repeat: true })).toEqual(NOT_TAKEN);
});

describe('Escape', () => {
  test('clears the selection first, and then leaves for the list', () => {
    desk.selection.toggle(3);
    expect(press('Escape', 1)).toEqual([true]);
    expect(desk.selection.ids.value.size).toBe(0);
    expect(press('Escape', 1)).toEqual([true, 'list']);
    desk.selection.toggle(1);
    expect(desk.selection.ids.value.size).toBe(1);
    expect(press('Escape', 1)).toEqual([true]);
    expect(desk.selection.ids.value.size).toBe(0);
  });
});

test('leaving the text in any way ends the selection', () => {
  desk.selection.toggle(3);
  press('Enter', 1);
  expect(desk.selection.ids.value.size).toBe(0);
});

test.each(['alt', 'ctrl', 'meta', 'composing'] as const)(
  'with %s, every key is left to the browser',
  (held) => {
    const keys: [string, number, Key][] = [
      ['Enter', 1, {}],
      ['ArrowDown', 1, { at: 2 }],
      ['ArrowUp', 2, { at: 2 }],
      ['Backspace', 2, {}],
      ['Delete', 1, { at: 3 }],
      ['Escape', 1, {}],
    ];
    for (const [code, caption, how] of keys) {
      expect(press(code, caption, { ...how, [held]: true })).toEqual(NOT_TAKEN);
    }
  },
);

test('any other key is left to the browser', () => {
  for (const code of ['KeyA', 'Tab', 'Home', 'ArrowLeft'])
    expect(press(code, 2)).toEqual(NOT_TAKEN);
});
