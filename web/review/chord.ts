/** Keys as they are kept and shown: `Ctrl+Alt+Shift+ArrowUp`, each key by where it is and not by what it types. */

/** What an event tells of its key. */
export type Pressed = Pick<
  KeyboardEvent,
  'code' | 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
>;

const MODIFIERS = /^(?:Control|Shift|Alt|Meta|OS)(?:Left|Right)?$/;

/** The chord of a key press; null for a modifier alone. Cmd counts as Ctrl. */
export function chordOf({ code, key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string | null {
  if (code === '' || MODIFIERS.test(code)) return null;
  // Keyboards have `?` in many places, with Shift and without: it is known by what it types.
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

/** A chord as people read it. */
export const shownChord = (chord: string): string =>
  chord
    .split('+')
    .map((part) => NAMES[part] ?? part.replace(/^(?:Key|Digit)(?=.$)/, ''))
    .join('+');

/** Whether a chord types or walks where text is written, so that it is a command only elsewhere. */
export const isForText = (chord: string): boolean =>
  !/^(?:Ctrl|Alt)\+/.test(chord) && !/^(?:Shift\+)?F\d+$/.test(chord);
