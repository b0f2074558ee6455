/** The shortcut of a command, for its button. */
import { ACTIONS } from './actions.ts';
import { shownChord } from './chord.ts';
import { keysOf } from './keys.ts';

/** The first shortcut of a command, by its name; empty if it has none. */
export function hintOf(id: string): string {
  const action = ACTIONS.find((each) => each.id === id);
  const [chord] = action ? keysOf(action) : [];
  return chord === undefined ? '' : shownChord(chord);
}
