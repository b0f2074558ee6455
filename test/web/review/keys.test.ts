/** Shortcuts, and the keys of a text. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ACTIONS } from '../../../web/review/desk/actions.ts';
import { chordOf, shownChord } from '../../../web/review/desk/chord.ts';
import { labelOf } from '../../../web/texts/keys.ts';
import { actionOf, keysOf, setKey } from '../../../web/review/desk/keys.ts';
import { matching } from '../../../web/review/desk/palette.tsx';
import { settings } from '../../../web/review/desk/settings.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { pressInText } from '../../../web/review/desk/cue-row.tsx';
import { desk as deskOf } from '../support/desk.ts';
import { usePage } from '../support/page.ts';

describe('shortcuts', () => {
  const press = (code: string, held: Partial<KeyboardEvent> = {}) => ({
    code,
    key: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    target: null,
    ...held,
  });

  const action = (id: string) => {
    const found = ACTIONS.find((each) => each.id === id);
    if (!found) throw new Error(`there is no ${id}`);
    return found;
  };

  afterEach(() => {
    settings.keys.value = {};
  });

  describe('shortcuts', () => {
    test('do not use the keys of browsers and screen readers', () => {
      for (const { keys } of ACTIONS) {
        for (const chord of keys)
          expect(chord).not.toMatch(/^(?:F5|F11|F12|Tab|Escape|Ctrl\+Key[CVXWTN])$/);
      }
    });

    test('are identified by position, with Cmd for Ctrl', () => {
      expect(actionOf(press('KeyZ', { metaKey: true }))?.id).toBe('undo');
      expect(actionOf(press('KeyL'))?.id).toBe('forward');
      expect(actionOf(press('KeyQ'))).toBeUndefined();
      expect(actionOf(press('KeyZ', { ctrlKey: true, isComposing: true }))).toBeUndefined();
      expect(chordOf(press('ShiftLeft', { shiftKey: true }))).toBeNull();
      expect([chordOf(press('OSLeft')), chordOf(press('', { key: 'é' }))]).toEqual([null, null]);
      expect(chordOf(press('Minus', { key: '?', shiftKey: true }))).toBe('?');
      for (const held of ['ctrlKey', 'metaKey', 'altKey'])
        expect(chordOf(press('Minus', { key: '?', [held]: true }))).not.toBe('?');
      expect(chordOf(press('NumpadEnter', { altKey: true }))).toBe('Alt+Enter');
      expect(shownChord('Ctrl+Alt+ArrowLeft')).toBe('Ctrl+Alt+←');
      expect(shownChord('Alt+KeyM')).toBe('Alt+M');
    });

    test('chosen by the user are removed from their previous command, and can be reset', () => {
      setKey(action('split'), 'Alt+KeyM');
      expect(actionOf(press('KeyM', { altKey: true }))?.id).toBe('split');
      expect(actionOf(press('Enter', { altKey: true }))).toBeUndefined();
      expect(keysOf(action('merge'))).toEqual([]);
      // Only the conflicting one of two shortcuts is removed.
      setKey(action('compare'), 'KeyJ');
      expect(keysOf(action('backward'))).toEqual(['Alt+KeyJ']);
      setKey(action('split'), null);
      expect(keysOf(action('split'))).toEqual(['Alt+Enter']);
    });
  });

  describe('on a Mac', () => {
    const { platform } = navigator;
    const beMac = (is: string) =>
      Object.defineProperty(navigator, 'platform', { value: is, configurable: true });
    beforeAll(() => void beMac('MacIntel'));
    afterAll(() => void beMac(platform));
    class Field {
      tagName = 'TEXTAREA';
      matches = () => true;
    }
    const inText = (code: string, held: Partial<KeyboardEvent>) => {
      Object.assign(globalThis, { HTMLElement: Field });
      const found = actionOf(press(code, { ...held, target: new Field() as never }))?.id;
      Reflect.deleteProperty(globalThis, 'HTMLElement');
      return found;
    };
    test.each([
      ['KeyL', '@'],
      ['KeyA', 'å'],
      ['KeyS', 'ś'],
      ['BracketLeft', '“'],
      ['Minus', '–'],
      ['KeyP', 'π'],
      ['KeyE', 'Dead'],
    ])('Option and %s types %s in a text, and is a command elsewhere', (code, key) => {
      expect(inText(code, { altKey: true, key })).toBeUndefined();
      expect(inText(code, { altKey: true, shiftKey: true, key })).toBeUndefined();
      expect(actionOf(press(code, { altKey: true, key }))).toBeDefined();
      // Control and Option together type nothing.
      expect(inText(code, { altKey: true, ctrlKey: true, key })).toBe(
        actionOf(press(code, { altKey: true }))!.id,
      );
    });
    test('Cmd+Space and Cmd+H are the system’s, and Control edits text', () => {
      expect([
        chordOf(press('Space', { metaKey: true })),
        chordOf(press('KeyH', { metaKey: true })),
      ]).toEqual([null, null]);
      expect(inText('KeyH', { ctrlKey: true, key: 'h' })).toBeUndefined();
      expect(inText('KeyF', { metaKey: true, altKey: true, key: 'ƒ' })).toBe('replace');
    });
    test('AltGr types on any keyboard', () => {
      beMac('Win32');
      const getModifierState = (name: string) => name === 'AltGraph';
      const held = { altKey: true, ctrlKey: true, key: 'ą', getModifierState };
      expect(inText('KeyA', held)).toBeUndefined();
      expect(inText('KeyA', { altKey: true, key: 'a', getModifierState: () => false })).toBe(
        'accept',
      );
      beMac('MacIntel');
    });
  });

  describe('the palette', () => {
    const named = (query: string) => matching(ACTIONS, query, labelOf).map(({ id }) => id);
    test('finds commands by the starts of their words, in any order, the best first', () => {
      expect(named('')).toHaveLength(ACTIONS.length);
      expect(named('shift')[0]).toBe('shift');
      expect(named('warn next')[0]).toBe('nextWarning');
      expect(named('srt')).toEqual(['download', 'copy']);
      expect(named('no such thing')).toEqual([]);
    });
  });
});

describe('the keys of a text', () => {
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
});
