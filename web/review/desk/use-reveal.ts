/** Scrolls a caption into view and puts the cursor into its text. */
import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Reveal, Review } from './review.ts';

/**
 * Scrolls a cue into view if needed and puts the cursor into its text; if its row is already
 * rendered, before the next keystroke.
 */
export function useReveal(
  frame: { readonly current: HTMLDivElement | null },
  review: Review,
  tops: Float64Array,
  scrolled: Signal<number>,
): void {
  const to = review.reveal.value;
  const done = useRef<Reveal | null>(null);
  const wasTypedIn = useRef(false);
  // Check before the focused row is removed.
  if (to !== done.current) wasTypedIn.current ||= isTypedIn(frame.current);
  useLayoutEffect(() => {
    const list = frame.current;
    if (!list || !to || to === done.current) return;
    const index = review.cues.peek().findIndex(({ id }) => id === to.id);
    if (index < 0) return;
    const top = tops[index]!;
    const bottom = tops[index + 1]!;
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
      scrolled.value = list.scrollTop;
    }
    const { select, cursor, follows } = to;
    // If the user is typing, move the cursor along: the keys are for the current caption.
    const goesAlong = !follows && wasTypedIn.current;
    const place = select ?? (goesAlong ? (cursor ?? 'end') : undefined);
    const field = list.querySelector<HTMLTextAreaElement>(`[data-id="${to.id}"] textarea`);
    // A distant row is rendered in the next frame.
    if (place !== undefined && !field) return;
    done.current = to;
    wasTypedIn.current = false;
    if (place === undefined || !field) return;
    if (select === undefined && cursor === undefined && field === document.activeElement) return;
    field.focus({ preventScroll: true });
    const end = field.value.length;
    const [from, until] =
      place === 'start'
        ? [0, 0]
        : place === 'end'
          ? [end, end]
          : typeof place === 'number'
            ? [place, place]
            : place;
    field.setSelectionRange(from, until);
  });
}

/** Whether a field in the list is focused. */
export function isTypedIn(frame: HTMLElement | null): boolean {
  const active = document.activeElement;
  const isField = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
  return isField && frame?.contains(active) === true;
}
