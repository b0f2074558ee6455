/**
 * Keyboard shortcuts as stored and displayed: `Ctrl+Alt+Shift+ArrowUp`, by the key's position, not
 * its character.
 */

import { isMac, keyNames } from '../../texts/format.ts';

/** The fields of a keyboard event that identify a key. */
export type Pressed = Pick<
  KeyboardEvent,
  'code' | 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
> &
  Partial<Pick<KeyboardEvent, 'getModifierState'>>;

const MODIFIERS = /^(?:Control|Shift|Alt|Meta|OS)(?:Left|Right)?$/;

/** Keys that type a character, alone or with Option. */
const LETTERS =
  /^(?:Key.|Digit\d|Bracket(?:Left|Right)|Comma|Period|Slash|Minus|Equal|Semicolon|Quote|Backquote|Backslash|Intl\w+)$/;

/** Keys that move the cursor or delete by words and paragraphs with Option on a Mac. */
const BY_WORDS = /^(?:Arrow\w+|Delete|Backspace)$/;

/**
 * The chord of a key press; null for a modifier alone, and for what a Mac keeps for itself (Cmd+Space
 * and Cmd+H). Cmd counts as Ctrl. On a Mac, Control+Option+A is `Alt+KeyA`, since Option+A types å; so with the keys that
 * move by words.
 */
export function chordOf({ code, key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string | null {
  if (code === '' || MODIFIERS.test(code)) return null;
  if (metaKey && /^(?:Space|KeyH)$/.test(code) && isMac()) return null;
  const isOption =
    ctrlKey && altKey && !metaKey && [LETTERS, BY_WORDS].some((keys) => keys.test(code)) && isMac();
  // The position of `?` differs between keyboards, so it is recognised by its character.
  if (key === '?' && !ctrlKey && !metaKey && !altKey) return '?';
  const plain = code === 'NumpadEnter' ? 'Enter' : code;
  return [
    (ctrlKey || metaKey) && !isOption ? 'Ctrl+' : '',
    altKey ? 'Alt+' : '',
    shiftKey ? 'Shift+' : '',
    plain,
  ].join('');
}

/**
 * Whether a key press types, moves or deletes in a text, whatever its chord: with Option on a Mac, where Option+← goes
 * back by a word, or AltGr elsewhere, and with Control on a Mac, where Control+H deletes and Control+K cuts.
 */
export function typesInText(event: Pressed): boolean {
  const { code, key, ctrlKey, metaKey, altKey } = event;
  const types = key === 'Dead' || [...key].length === 1;
  if (types && event.getModifierState?.('AltGraph')) return true;
  if (!isMac() || metaKey || ctrlKey === altKey) return false;
  return altKey ? types || BY_WORDS.test(code) : code.startsWith('Key');
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  BracketLeft: '[',
  BracketRight: ']',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Minus: '-',
  Equal: '=',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  Backslash: '\\',
};

/** A chord for display. */
export const shownChord = (chord: string): string =>
  keyNames(
    chord
      .split('+')
      .map((part) => NAMES[part] ?? part.replace(/^(?:Key|Digit)(?=.$)/, ''))
      .join('+'),
  );
