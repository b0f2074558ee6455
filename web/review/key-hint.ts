/** The key of a command as its button tells it. */
import { ACTIONS } from './actions.ts';
import { shownChord } from './chord.ts';
import { keysOf } from './keys.ts';

/** The first key of a command, by its name; empty where it has none. */
export function hintOf(id: string): string {
  const action = ACTIONS.find((each) => each.id === id);
  const [chord] = action ? keysOf(action) : [];
  return chord === undefined ? '' : shownChord(chord);
}
