/** Bringing a caption into view, and the cursor into its text. */
import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Reveal, Review } from './review.ts';

/**
 * Scrolls a cue into view, if it is not there, and puts the cursor into its text: before the next key
 * comes, where the row is in the page already.
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
  // Before the row that has the focus goes.
  if (to !== done.current) wasTypedIn.current ||= isTypedIn(frame.current);
  useLayoutEffect(() => {
    const list = frame.current;
    if (!list || !to || to === done.current) return;
    const index = review.cues.peek().findIndex(({ id }) => id === to.id);
    if (index < 0) return;
    const top = tops[index] ?? 0;
    const bottom = tops[index + 1] ?? top;
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
      scrolled.value = list.scrollTop;
    }
    const { select, cursor, follows = false } = to;
    // Who types goes along: the keys are for the caption that is current.
    const goesAlong = !follows && wasTypedIn.current;
    const place = select ?? (goesAlong ? (cursor ?? 'end') : undefined);
    const field = list.querySelector<HTMLTextAreaElement>(`[data-id="${to.id}"] textarea`);
    // A row that was far away comes with the next frame.
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

/** Whether somebody types in the list. */
export const isTypedIn = (frame: HTMLElement | null): boolean =>
  frame?.querySelector(':is(textarea, input):focus') != null;
