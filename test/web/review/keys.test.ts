/** Keyboard shortcuts: the defaults, and those a user has chosen. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ACTIONS } from '../../../web/review/desk/actions.ts';
import { chordOf, isForText, shownChord } from '../../../web/review/desk/chord.ts';
import { labelOf } from '../../../web/texts/keys.ts';
import { actionOf, keysOf, setKey } from '../../../web/review/desk/keys.ts';
import { matching } from '../../../web/review/model/matching.ts';
import { settings } from '../../../web/review/desk/settings.ts';

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
  test('are unique, and every command has a label', () => {
    const chords = ACTIONS.flatMap(({ keys }) => keys);
    expect(new Set(chords).size).toBe(chords.length);
    expect(new Set(ACTIONS.map(({ id }) => id)).size).toBe(ACTIONS.length);
    expect(ACTIONS.filter((each) => labelOf(each) === each.id)).toEqual([]);
  });

  test('do not use the keys of browsers and screen readers', () => {
    for (const { keys } of ACTIONS) {
      for (const chord of keys)
        expect(chord).not.toMatch(/^(?:F5|F11|F12|Tab|Escape|Ctrl\+Key[CVXWTN])$/);
    }
  });

  test('that are single letters work only outside text', () => {
    expect(['KeyJ', 'Shift+KeyP', 'Enter', 'ArrowUp', '?'].every(isForText)).toBe(true);
    expect(['Alt+KeyJ', 'Ctrl+Shift+KeyZ', 'F8', 'Shift+F8'].some(isForText)).toBe(false);
    // Every playback command with a single letter also has a shortcut that works while typing.
    for (const { keys, group } of ACTIONS) {
      if (group === 'play' && keys.length > 0)
        expect(keys.some((chord) => !isForText(chord))).toBe(true);
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

  test('that two commands share run the first of them', () => {
    settings.keys.value = { merge: ['KeyJ'] };
    expect(actionOf(press('KeyJ'))?.id).toBe('backward');
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
  test('keys that type nothing stay commands in a text', () => {
    expect(inText('Enter', { altKey: true, key: 'Enter' })).toBe('split');
    expect(inText('ArrowUp', { altKey: true, key: 'ArrowUp' })).toBe('previous');
    expect(inText('KeyZ', { metaKey: true, key: 'z' })).toBe('undo');
    expect(inText('Space', { ctrlKey: true, key: ' ' })).toBe('play');
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
