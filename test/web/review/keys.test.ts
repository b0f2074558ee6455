/** Shortcuts, and the keys of a text. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ACTIONS } from '../../../web/review/desk/actions.ts';
import { chordOf, shownChord } from '../../../web/review/editing/chord.ts';
import { actionOf, keysOf, setKey } from '../../../web/review/desk/keys.ts';
import { settings } from '../../../web/review/editing/settings.ts';

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
  test.each([
    ['Ctrl+KeyZ', 'Command+Z'],
    ['Ctrl+Alt+Shift+Enter', 'Command+Option+Shift+Enter'],
    ['Alt+KeyA', 'Option+A'],
    ['Ctrl+Space', 'Control+Space'],
    ['Ctrl+KeyH', 'Control+H'],
    ['F8', 'F8'],
  ])('%s is shown as %s', (chord, shown) => {
    expect(shownChord(chord)).toBe(shown);
  });

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
    ['KeyS', 'ś'],
    ['BracketLeft', '“'],
    ['KeyE', 'Dead'],
    // By words.
    ['ArrowLeft', 'ArrowLeft'],
    ['ArrowDown', 'ArrowDown'],
    ['Delete', 'Delete'],
  ])('Option and %s is %s for a text, and a command elsewhere', (code, key) => {
    expect(inText(code, { altKey: true, key })).toBeUndefined();
    expect(inText(code, { altKey: true, shiftKey: true, key })).toBeUndefined();
    expect(actionOf(press(code, { altKey: true, key }))).toBeDefined();
    // Control and Option together type nothing.
    expect(inText(code, { altKey: true, ctrlKey: true, key })).toBe(
      actionOf(press(code, { altKey: true }))!.id,
    );
  });
  test('the sheet of keys opens wherever ? types nothing', () => {
    const on = (tagName: string, types: boolean) => {
      Object.assign(globalThis, { HTMLElement: Field });
      const target = Object.assign(new Field(), { tagName, matches: () => types });
      const found = actionOf(press('Minus', { key: '?', shiftKey: true, target: target as never }));
      Reflect.deleteProperty(globalThis, 'HTMLElement');
      return found?.id;
    };
    expect([on('BUTTON', false), on('A', false), on('TEXTAREA', true)]).toEqual([
      'sheet',
      'sheet',
      undefined,
    ]);
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
