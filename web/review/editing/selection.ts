/** The selection of captions for editing several at once, and the cursor in the text of one. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Review } from './review.ts';

export interface Selection {
  ids: ReadonlySignal<ReadonlySet<number>>;
  /** The selected positions in ascending order; empty for fewer than two. */
  indices: ReadonlySignal<readonly number[]>;
  /** Adds a caption to the selection, or removes it. */
  toggle(id: number): void;
  /** Selects from the anchor, or else the current caption, to this position. */
  extendTo(index: number): void;
  /** Moves the end of the selection by one caption. */
  extend(step: 1 | -1): void;
  all(): void;
  clear(): void;
}

/** Creates the selection of a review, initially empty. */
export function createSelection(review: Review): Selection {
  const ids = signal<ReadonlySet<number>>(new Set());
  /** The id at which the selection began; `head` is the position of its moving end. */
  let anchor: number | null = null;
  let head = 0;
  const { cues, currentIndex, currentId } = review;
  const extendTo = (index: number) => {
    const all = cues.peek();
    const begin = all.findIndex(({ id }) => id === anchor);
    const from = begin < 0 ? Math.max(0, currentIndex.peek()) : begin;
    anchor = all[from]?.id ?? null;
    head = Math.max(0, Math.min(all.length - 1, index));
    const [low, high] = [Math.min(from, head), Math.max(from, head)];
    ids.value = new Set(all.slice(low, high + 1).map(({ id }) => id));
  };
  return {
    ids,
    indices: computed(() => {
      if (ids.value.size < 2) return [];
      const found = cues.value.flatMap(({ id }, at) => (ids.value.has(id) ? [at] : []));
      return found.length < 2 ? [] : found;
    }),
    toggle(id) {
      const current = currentId.peek();
      const next = new Set(ids.peek().size === 0 && current !== null ? [current] : ids.peek());
      if (next.has(id) && next.size > 1) next.delete(id);
      else next.add(id);
      anchor = id;
      ids.value = next;
    },
    extendTo,
    extend(step) {
      if (ids.peek().size === 0) head = currentIndex.peek();
      extendTo(head + step);
      const cue = cues.peek()[head];
      if (cue) review.reveal.value = { id: cue.id, follows: true };
    },
    all() {
      anchor = null;
      ids.value = new Set(cues.peek().map(({ id }) => id));
    },
    clear() {
      anchor = null;
      if (ids.peek().size > 0) ids.value = new Set();
    },
  };
}

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
