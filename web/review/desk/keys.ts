/** Finds the command for a key press, from the user's shortcuts or the default ones. */
import { computed } from '@preact/signals';
import { type Action, ACTIONS } from './actions.ts';
import { chordOf, shownChord, typesInText, type Pressed } from '../editing/chord.ts';
import { settings } from '../editing/settings.ts';

/** The shortcuts of a command. */
export const keysOf = (action: Action): readonly string[] =>
  settings.keys.value[action.id] ?? action.keys;

/** The commands by shortcut; if two share one, the first wins. */
const byChord = computed(() => {
  const found = new Map<string, Action>();
  for (const action of ACTIONS) {
    for (const chord of keysOf(action)) if (!found.has(chord)) found.set(chord, action);
  }
  return found;
});

/** The command for a keyboard event; undefined for a key that has none. */
export function actionOf(
  event: Pressed & Pick<KeyboardEvent, 'isComposing' | 'target'>,
): Action | undefined {
  const chord = event.isComposing ? null : chordOf(event);
  if (chord === null) return undefined;
  // Buttons and links do nothing with a question mark.
  const isKept = chord === '?' ? isText : isTyping;
  if (isForText(chord) && isKept(event.target)) return undefined;
  if (typesInText(event) && isText(event.target)) return undefined;
  return byChord.value.get(chord);
}

/** Sets the shortcut of a command and takes it from any other; null restores the default. */
export function setKey(action: Action, chord: string | null): void {
  const { [action.id]: _, ...rest } = settings.keys.peek();
  if (chord === null) {
    settings.keys.value = rest;
    return;
  }
  const others = Object.fromEntries(
    ACTIONS.filter((other) => other !== action && keysOf(other).includes(chord)).map((other) => [
      other.id,
      keysOf(other).filter((key) => key !== chord),
    ]),
  );
  settings.keys.value = { ...rest, ...others, [action.id]: [chord] };
}

/** Whether a chord types or moves the cursor in text, so that it is a command only outside text. */
const isForText = (chord: string): boolean =>
  !/^(?:Ctrl|Alt)\+/.test(chord) && !/^(?:Shift\+)?F\d+$/.test(chord);

/** Whether characters can be typed into an element. */
const isText = (target: EventTarget | null): boolean =>
  typeof HTMLElement !== 'undefined' &&
  target instanceof HTMLElement &&
  target.matches('textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file])');

/** Whether an element handles keys itself. */
const isTyping = (target: EventTarget | null): boolean =>
  typeof HTMLElement !== 'undefined' &&
  target instanceof HTMLElement &&
  /^(?:INPUT|TEXTAREA|SELECT|BUTTON|A|SUMMARY)$/.test(target.tagName);

/** The first shortcut of a command, by its name; empty if it has none. */
export function hintOf(id: string): string {
  const action = ACTIONS.find((each) => each.id === id);
  const [chord] = action ? keysOf(action) : [];
  return chord === undefined ? '' : shownChord(chord);
}
