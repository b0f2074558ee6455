/** The position of the cursor in the text of a caption. */

/** Its offset; null where it is elsewhere. */
export const cursor = (): number | null => selection()?.[0] ?? null;

/** What is selected in the text of a cue; null where the cursor is elsewhere. */
export function selection(): [from: number, to: number] | null {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.closest('.cue')
    ? [active.selectionStart, active.selectionEnd]
    : null;
}
