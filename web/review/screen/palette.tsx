/** The command palette: type part of a name, choose with the arrow keys, run with Enter. */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { useModal } from '../../components/dialog.tsx';
import { labelOf, sheet as sheetText } from '../../texts/keys.ts';
import { ACTIONS } from '../desk/actions.ts';
import { shownChord } from '../editing/chord.ts';
import type { Desk } from '../desk/desk.ts';
import { keysOf } from '../desk/keys.ts';

const title = labelOf({ id: 'palette' });

/** The palette; a command runs after it has closed and the focus has returned. */
export function Palette({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const query = useSignal('');
  const at = useSignal(0);
  const dialog = useModal();
  const id = useId();
  const found = matching(ACTIONS, query.value, labelOf);
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, query.value]);
  const run = (index: number) => {
    const action = found[index];
    if (!action) return;
    dialog.current?.close();
    onClose();
    action.run(desk);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.code];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      at.value = (chosen + step + found.length) % found.length;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(chosen);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={title}
      onClose={onClose}
      // A click outside closes the palette, which has no close button.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found[chosen] ? `${id}-${found[chosen].id}` : undefined}
        aria-label={sheetText.paletteAsk}
        placeholder={sheetText.paletteAsk}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={press}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={title}>
        {found.map((action, index) => (
          <li
            key={action.id}
            id={`${id}-${action.id}`}
            role="option"
            aria-selected={index === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(index)}
          >
            <span>{labelOf(action)}</span>
            {keysOf(action)[0] && <kbd>{shownChord(keysOf(action)[0]!)}</kbd>}
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0 ? sheetText.paletteNone : ''}
      </p>
    </dialog>
  );
}

/**
 * The entries in which each typed part occurs, in any order; entries with words that begin with the
 * parts come first. All entries, in their order, for a blank query.
 */
function matching<T>(
  entries: readonly T[],
  query: string,
  nameOf: (entry: T) => string,
): readonly T[] {
  const typed = query
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '');
  const scoreOf = (entry: T): number => {
    const name = nameOf(entry).toLowerCase();
    const words = name.split(/[\s:,]+/);
    let score = 0;
    for (const part of typed) {
      if (words.some((word) => word.startsWith(part))) score += 2;
      else if (name.includes(part)) score += 1;
      else return -1;
    }
    return score + (name.startsWith(typed[0] ?? '') ? 1 : 0);
  };
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry) }))
    .filter(({ score }) => score >= 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}
