/** Keys in the text of a caption that go on to another, or merge with it. */
import type { Desk } from './desk.ts';

/** Takes a key press in the text of the current caption, where it is for more than the text. */
export function pressInText(
  event: KeyboardEvent & { currentTarget: HTMLTextAreaElement },
  { walk, commands, selection, review }: Desk,
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
      // With Shift it breaks the line.
      if (!shiftKey) take(() => walk.next());
      break;
    case 'ArrowDown':
      if (isPoint && !shiftKey && hasNext && !value.includes('\n', to)) take(() => walk.next());
      break;
    case 'ArrowUp':
      if (isPoint && !shiftKey && at > 0 && !value.slice(0, from).includes('\n')) {
        take(() => walk.previous('end'));
      }
      break;
    case 'Backspace':
      // Who holds it down empties this caption, not the one before.
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
