/** The shortcut sheet: every command with its shortcut, which can be changed. */
import { useSignal } from '@preact/signals';
import { Dialog } from '../../components/dialog.tsx';
import { ACTIONS, type Action } from '../desk/actions.ts';
import { chordOf, shownChord } from '../editing/chord.ts';
import { keyGroups, labelOf, sheet as sheetText } from '../../texts/keys.ts';
import { keysOf, setKey } from '../desk/keys.ts';
import { settings } from '../editing/settings.ts';
import { text } from '../../texts/review.ts';

const GROUPS = Object.entries(keyGroups) as [Action['group'], string][];

/** The shortcut sheet. */
export function KeySheet({ onClose }: { onClose(): void }) {
  /** The command that is waiting for a key. */
  const waiting = useSignal<string | null>(null);
  const hasOwn = Object.keys(settings.keys.value).length > 0;
  return (
    <Dialog title={sheetText.keysTitle} onClose={onClose}>
      <p class="hint">{sheetText.keysHint}</p>
      {GROUPS.map(([group, name]) => (
        <section key={group} class="key-group">
          <h3>{name}</h3>
          <ul class="keys">
            {ACTIONS.filter((action) => action.group === group).map((action) => (
              <KeyLine key={action.id} action={action} waiting={waiting} />
            ))}
          </ul>
        </section>
      ))}
      <section class="key-group">
        <h3>{sheetText.textKeysTitle}</h3>
        <ul class="keys">
          {sheetText.textKeys.map(([key, says]) => (
            <li key={key}>
              <span>{says}</span>
              <kbd>{key}</kbd>
            </li>
          ))}
        </ul>
      </section>
      {hasOwn && (
        <button type="button" onClick={() => (settings.keys.value = {})}>
          {sheetText.keysReset}
        </button>
      )}
    </Dialog>
  );
}

function KeyLine({
  action,
  waiting,
}: {
  action: Action;
  waiting: { value: string | null; peek(): string | null };
}) {
  const isWaiting = waiting.value === action.id;
  const take = (event: KeyboardEvent) => {
    if (waiting.peek() !== action.id) return;
    if (event.code === 'Tab') return;
    const chord = chordOf(event);
    if (chord === null) return;
    event.preventDefault();
    waiting.value = null;
    if (chord === 'Escape') return;
    setKey(action, chord);
  };
  const isOwn = action.id in settings.keys.value;
  return (
    <li>
      <span>{labelOf(action)}</span>
      <span class="key-of">
        <button
          type="button"
          class={isWaiting ? 'waiting' : ''}
          onClick={() => {
            waiting.value = isWaiting ? null : action.id;
          }}
          onKeyDown={take}
          onBlur={() => {
            if (waiting.peek() === action.id) waiting.value = null;
          }}
        >
          <span class="visually-hidden">{sheetText.keyOf(labelOf(action))}</span>
          {isWaiting
            ? sheetText.pressKey
            : keysOf(action).length === 0
              ? sheetText.noKey
              : keysOf(action).map((chord) => <kbd key={chord}>{shownChord(chord)}</kbd>)}
        </button>
        {isOwn && (
          <button
            type="button"
            class="plain"
            aria-label={sheetText.keyBack(labelOf(action))}
            onClick={() => setKey(action, null)}
          >
            {text.review.undo}
          </button>
        )}
      </span>
    </li>
  );
}
