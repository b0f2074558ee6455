/** The position of the cursor in the text of a caption. */

/** The cursor's offset; null if it is elsewhere. */
export const cursor = (): number | null => selection()?.[0] ?? null;

/** The selected range in the text of a cue; null if the cursor is elsewhere. */
export function selection(): [from: number, to: number] | null {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.closest('.cue')
    ? [active.selectionStart, active.selectionEnd]
    : null;
}
