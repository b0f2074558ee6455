/** Finds the command for a key press, from the keys that the user has chosen or the default ones. */
import { computed } from '@preact/signals';
import { ACTIONS, type Action } from './actions.ts';
import { chordOf, isForText, type Pressed } from './chord.ts';
import { settings } from './settings.ts';

/** The keys of a command. */
export const keysOf = (action: Action): readonly string[] =>
  settings.keys.value[action.id] ?? action.keys;

/** The commands by their keys; of two with one key the first has it. */
const byChord = computed(() => {
  const found = new Map<string, Action>();
  for (const action of ACTIONS) {
    for (const chord of keysOf(action)) if (!found.has(chord)) found.set(chord, action);
  }
  return found;
});

/** The command that an event is for; undefined for a key that is not ours. */
export function actionOf(
  event: Pressed & Pick<KeyboardEvent, 'isComposing' | 'target'>,
): Action | undefined {
  const chord = event.isComposing ? null : chordOf(event);
  if (chord === null || (isForText(chord) && isTyping(event.target))) return undefined;
  return byChord.value.get(chord);
}

/** Gives a command a key of its own, which is taken from any other; null gives back what it had. */
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

/** Where keys type, choose or press something themselves. */
const isTyping = (target: EventTarget | null): boolean =>
  typeof HTMLElement !== 'undefined' &&
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT|BUTTON|A|SUMMARY)$/.test(target.tagName));
