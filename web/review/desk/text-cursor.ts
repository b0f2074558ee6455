/** The position of the cursor in the text of a caption. */

/** The text that last had the cursor. */
let last: HTMLTextAreaElement | null = null;

/** Remembers a text that loses the focus, for the sheet of tools that takes it on a phone. */
export const rememberText = (field: HTMLTextAreaElement): void => {
  last = field;
};

/** The cursor's offset; null if it is elsewhere. */
export const cursor = (): number | null => selection()?.[0] ?? null;

/**
 * The selected range in the text of a cue; null if the cursor is elsewhere. While a dialog is open,
 * it is where it was in the current cue before.
 */
export function selection(): [from: number, to: number] | null {
  const active = document.activeElement;
  const wasHere = active?.closest('dialog') && last?.isConnected && last.closest('.cue.current');
  const text = wasHere ? last : active;
  if (!(text instanceof HTMLTextAreaElement)) return null;
  if (text.closest('.cue')) return [text.selectionStart, text.selectionEnd];
  // A paragraph of the transcript knows where in it the current caption begins.
  const before = Number(text.dataset['offset'] ?? Number.NaN);
  return Number.isNaN(before) ? null : [text.selectionStart - before, text.selectionEnd - before];
}
