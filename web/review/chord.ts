/**
 * Keyboard shortcuts as stored and displayed: `Ctrl+Alt+Shift+ArrowUp`, by the key's position, not
 * its character.
 */

/** The fields of a keyboard event that identify a key. */
export type Pressed = Pick<
  KeyboardEvent,
  'code' | 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
>;

const MODIFIERS = /^(?:Control|Shift|Alt|Meta|OS)(?:Left|Right)?$/;

/** The chord of a key press; null for a modifier alone. Cmd counts as Ctrl. */
export function chordOf({ code, key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string | null {
  if (code === '' || MODIFIERS.test(code)) return null;
  // The position of `?` differs between keyboards, so it is recognised by its character.
  if (key === '?' && !ctrlKey && !metaKey && !altKey) return '?';
  const plain = code === 'NumpadEnter' ? 'Enter' : code;
  return [
    ctrlKey || metaKey ? 'Ctrl+' : '',
    altKey ? 'Alt+' : '',
    shiftKey ? 'Shift+' : '',
    plain,
  ].join('');
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
  chord
    .split('+')
    .map((part) => NAMES[part] ?? part.replace(/^(?:Key|Digit)(?=.$)/, ''))
    .join('+');

/** Whether a chord types or moves the cursor in text, so that it is a command only outside text. */
export const isForText = (chord: string): boolean =>
  !/^(?:Ctrl|Alt)\+/.test(chord) && !/^(?:Shift\+)?F\d+$/.test(chord);
