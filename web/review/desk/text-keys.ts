/** Keys in the text of a caption that move to another caption, or merge with it. */
import type { Desk } from './desk.ts';

/** Handles a key press in the text of the current caption if it does more than edit that text. */
export function pressInText(
  event: KeyboardEvent & { currentTarget: HTMLTextAreaElement },
  { navigation, commands, selection, review }: Desk,
): void {
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.isComposing || altKey || ctrlKey || metaKey) return;
  const { selectionStart: from, selectionEnd: to, value } = event.currentTarget;
  const isPoint = from === to;
  const at = review.currentIndex.peek();
  const hasNext = at + 1 < review.cues.peek().length;
  const take = (run: () => void) => {
    event.preventDefault();
    selection.clear();
    run();
  };
  switch (event.code) {
    case 'Enter':
    case 'NumpadEnter':
      // Shift+Enter inserts a line break.
      if (!shiftKey) take(() => navigation.next());
      break;
    case 'ArrowDown':
      if (isPoint && !shiftKey && hasNext && !value.includes('\n', to))
        take(() => navigation.next());
      break;
    case 'ArrowUp':
      if (isPoint && !shiftKey && at > 0 && !value.slice(0, from).includes('\n')) {
        take(() => navigation.previous('end'));
      }
      break;
    case 'Backspace':
      // Holding the key down empties this caption, but does not continue into the previous one.
      if (isPoint && from === 0 && at > 0 && !event.repeat) take(commands.mergeBack);
      break;
    case 'Delete':
      if (isPoint && to === value.length && hasNext && !event.repeat) take(commands.merge);
      break;
    case 'Escape':
      if (selection.ids.peek().size > 0) take(selection.clear);
      else take(() => event.currentTarget.closest<HTMLElement>('.cue-list')?.focus());
      break;
    default:
  }
}
