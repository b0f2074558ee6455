/** The keys of a review: one list for who presses them and for the sheet that tells them. */
import type { Commands } from './commands.ts';
import { text } from './strings.ts';
import { NUDGE } from './commands.ts';

/** What the keys reach beyond the commands. */
export interface KeyTargets {
  commands: Commands;
  find(replace: boolean): void;
  download(): void;
  decide(decision: 'accepted' | 'rejected'): void;
  showKeys(): void;
}

export interface KeyBinding {
  /** KeyboardEvent.code: where the key is, whatever it types. */
  code: string;
  /** Ctrl, or Cmd on a Mac. */
  control?: true;
  alt?: true;
  shift?: true;
  /** Only where nothing is typed. */
  outsideText?: true;
  /** As the sheet writes it. */
  shown: string;
  says: string;
  run(targets: KeyTargets): void;
}

/** In the order of the sheet. */
export const KEYS: readonly KeyBinding[] = [
  key('Ctrl+Space', 'Space', text.keys.play, ({ commands }) => commands.play()),
  {
    code: 'Space',
    outsideText: true,
    shown: 'Space',
    says: text.keys.playOutside,
    run: ({ commands }) => commands.play(),
  },
  key('Alt+↑', 'ArrowUp', text.keys.previous, ({ commands }) => commands.previous()),
  key('Alt+↓', 'ArrowDown', text.keys.next, ({ commands }) => commands.next()),
  key('F8', 'F8', text.keys.nextWarning, ({ commands }) => commands.nextWarning()),
  key('Shift+F8', 'F8', text.keys.previousWarning, ({ commands }) => commands.previousWarning()),
  key('Alt+Enter', 'Enter', text.keys.split, ({ commands }) => commands.split(cursor())),
  key('Alt+M', 'KeyM', text.keys.merge, ({ commands }) => commands.merge()),
  key('Alt+I', 'KeyI', text.keys.insert, ({ commands }) => commands.insert()),
  key('Alt+Delete', 'Delete', text.keys.delete, ({ commands }) => commands.remove()),
  key('Alt+[', 'BracketLeft', text.keys.startHere, ({ commands }) => commands.startHere()),
  key('Alt+]', 'BracketRight', text.keys.endHere, ({ commands }) => commands.endHere()),
  key('Alt+Shift+←', 'ArrowLeft', text.keys.earlier, ({ commands }) => commands.nudge(-NUDGE)),
  key('Alt+Shift+→', 'ArrowRight', text.keys.later, ({ commands }) => commands.nudge(NUDGE)),
  key('Alt+Shift+↑', 'ArrowUp', text.keys.wordBack, ({ commands }) =>
    commands.moveWord('previous'),
  ),
  key('Alt+Shift+↓', 'ArrowDown', text.keys.wordOn, ({ commands }) => commands.moveWord('next')),
  key('Alt+L', 'KeyL', text.keys.lines, ({ commands }) => commands.rebreak()),
  key('Ctrl+I', 'KeyI', text.keys.italics, ({ commands }) => commands.italics(selection())),
  key('Alt+A', 'KeyA', text.keys.accept, ({ decide }) => decide('accepted')),
  key('Alt+R', 'KeyR', text.keys.reject, ({ decide }) => decide('rejected')),
  key('Ctrl+Z', 'KeyZ', text.keys.undo, ({ commands }) => commands.undo()),
  key('Ctrl+Shift+Z', 'KeyZ', text.keys.redo, ({ commands }) => commands.redo()),
  key('Ctrl+Y', 'KeyY', text.keys.redoToo, ({ commands }) => commands.redo()),
  key('Ctrl+F', 'KeyF', text.keys.find, ({ find }) => find(false)),
  key('Ctrl+H', 'KeyH', text.keys.replace, ({ find }) => find(true)),
  key('Ctrl+S', 'KeyS', text.keys.download, ({ download }) => download()),
  {
    code: 'Slash',
    shift: true,
    outsideText: true,
    shown: '?',
    says: text.keys.sheet,
    run: ({ showKeys }) => showKeys(),
  },
];

/** The binding that an event is for; undefined for a key that is not ours. */
export function bindingOf(event: KeyboardEvent): KeyBinding | undefined {
  if (event.isComposing) return undefined;
  const control = event.ctrlKey || event.metaKey;
  const typing = isTyping(event.target);
  // Keyboards have `?` in many places, with Shift and without: it is known by what it types.
  const asks = event.key === '?';
  const code = asks ? 'Slash' : event.code;
  return KEYS.find(
    (binding) =>
      binding.code === code &&
      (binding.control ?? false) === control &&
      (binding.alt ?? false) === event.altKey &&
      (asks || (binding.shift ?? false) === event.shiftKey) &&
      !(binding.outsideText && typing),
  );
}

/** Where keys type, choose or press something themselves. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT|BUTTON|A|SUMMARY)$/.test(target.tagName));

/** The cursor in the text of a cue; null where it is elsewhere. */
export const cursor = (): number | null => selection()?.[0] ?? null;

/** What is selected in the text of a cue; null where the cursor is elsewhere. */
function selection(): [from: number, to: number] | null {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.closest('.cue')
    ? [active.selectionStart, active.selectionEnd]
    : null;
}

/** A binding with the modifiers that it is shown with. */
function key(
  shown: string,
  code: string,
  says: string,
  run: (targets: KeyTargets) => void,
): KeyBinding {
  return {
    code,
    shown,
    says,
    run,
    ...(shown.includes('Ctrl+') ? { control: true } : {}),
    ...(shown.includes('Alt+') ? { alt: true } : {}),
    ...(shown.includes('Shift+') ? { shift: true } : {}),
  };
}
