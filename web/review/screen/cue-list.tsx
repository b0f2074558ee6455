/** The list of captions; only those near the visible part are in the page. */
import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { whenIdle } from '../../components/on-demand.tsx';
import { useSize } from '../../components/use-size.ts';
import { text } from '../../texts/review.ts';
import { cueAt, lastAtOrBefore, type ReviewCue } from '../model/cue.ts';
import type { Playback } from '../play/playback.ts';
import { isNarrow } from './narrow.ts';
import { CueRow, type CueRowProps } from './cue-row.tsx';
import type { Desk } from '../desk/desk.ts';
import { rangeIn, type Reveal, type Review } from '../editing/review.ts';

/**
 * The estimated height of a row before it is measured, in pixels: its header and borders, plus each
 * line.
 */
const ROW = 49;
const LINE = 24;

/** The list. */
export function CueList({ desk }: { desk: Desk }) {
  const { review, playback } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  // On a narrow screen only the captions that are to be seen come first.
  const height = useSignal(isNarrow() ? innerHeight / 2 : 800);
  const margin = useSignal(isNarrow() ? 0 : MARGIN);
  useEffect(() => whenIdle(() => (margin.value = MARGIN)), []);
  const focused = useSignal<number | null>(null);
  const heights = useMemo(() => new Map<number, number>(), [review]);
  /** Counts the changes of measured heights. */
  const measured = useSignal(0);
  const cues = review.cues.value;
  const fresh = useMemo(
    () =>
      layout(cues.length, (index) => {
        const { id, lines } = cues[index]!;
        return heights.get(id) ?? ROW + LINE * lines.length;
      }),
    [cues, measured.value],
  );
  const tops = useStillWhilePressed(fresh);
  const resized = useRowHeights(frame, heights, measured);
  useSize(frame, 'height', height);

  useLayoutEffect(() => {
    const element = frame.current;
    const before = resized.scrollBy;
    resized.scrollBy = 0;
    // Rows measured above the visible part must not move what is visible.
    if (element && before !== 0) element.scrollTop += before;
  });
  useStillWhileFollowing(frame, review, tops);
  useReveal(frame, review, tops, scrolled);
  useFollow(review, playback, frame);

  const row = useRows();
  const heardId = useComputed(
    () => cueAt(review.cues.value, playback.time.value)?.id ?? null,
  ).value;
  const [from, to] = visibleRows(tops, scrolled.value, height.value, margin.value);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  const kept = focused.value === null ? -1 : cues.findIndex(({ id }) => id === focused.value);
  // The focused row stays in the page wherever the list is scrolled. It is kept in order, because
  // moving an element in the page would take the focus away.
  if (kept >= to) rows.push(kept);
  else if (kept >= 0 && kept < from) rows.unshift(kept);
  return (
    <div
      class="cue-list"
      ref={frame}
      role="region"
      tabIndex={-1}
      aria-label={text.review.cues}
      onScroll={(event) => {
        scrolled.value = event.currentTarget.scrollTop;
      }}
      onFocusIn={(event) => {
        focused.value = idOf(event.target);
      }}
      onFocusOut={() => {
        focused.value = null;
      }}
    >
      {cues.length === 0 && (
        <p class="none-yet">
          {text.review.noneYet}{' '}
          <button type="button" class="primary" onClick={desk.commands.insert}>
            {text.review.firstCaption}
          </button>
        </p>
      )}
      <div role="list" class="cues" style={{ height: `${tops.at(-1)!}px` }}>
        {rows.map((index) => {
          const cue = cues[index];
          const judged = review.judged.value[index];
          if (!cue || !judged) return null;
          return row({
            desk,
            cue,
            judged,
            index,
            count: cues.length,
            top: tops[index]!,
            height: tops[index + 1]! - tops[index]!,
            isCurrent: cue.id === review.currentId.value,
            isHeard: cue.id === heardId,
            onElement: resized.watch,
          });
        })}
      </div>
    </div>
  );
}

/**
 * Creates rows; a row with unchanged props is not rendered again, however fast the user types in
 * another.
 */

function useRows(): (props: CueRowProps) => VNode {
  const made = useRef(new Map<number, readonly [CueRowProps, VNode]>());
  return (props) => {
    const before = made.current.get(props.cue.id);
    if (before && isSame(before[0], props)) return before[1];
    const node = <CueRow key={props.cue.id} {...props} />;
    made.current.set(props.cue.id, [props, node]);
    return node;
  };
}

const isSame = (one: CueRowProps, other: CueRowProps): boolean =>
  (Object.keys(one) as (keyof CueRowProps)[]).every((name) => one[name] === other[name]);

const idOf = (target: EventTarget | null): number | null => {
  const row = target instanceof Element ? target.closest<HTMLElement>('.cue') : null;
  return row ? Number(row.dataset['id']) : null;
};

/** Measures rows as they change, and by how much those above the visible part have grown. */
function useRowHeights(
  frame: { current: HTMLDivElement | null },
  heights: Map<number, number>,
  measured: Signal<number>,
) {
  return useMemo(() => {
    const observer = new ResizeObserver((entries) => {
      const view = frame.current;
      let changed = false;
      for (const { target } of entries) {
        if (!(target instanceof HTMLElement) || !target.isConnected) continue;
        const id = Number(target.dataset['id']);
        const height = target.offsetHeight;
        // A hidden list has no heights.
        if (height === 0) continue;
        const before = heights.get(id) ?? Number(target.dataset['height']);
        if (heights.get(id) === height) continue;
        heights.set(id, height);
        changed = true;
        if (view && Number(target.dataset['top']) + before <= view.scrollTop) {
          found.scrollBy += height - before;
        }
      }
      if (changed) measured.value += 1;
    });
    const found = {
      scrollBy: 0,
      watch(element: HTMLElement | null, previous: HTMLElement | null) {
        if (previous) observer.unobserve(previous);
        if (element) observer.observe(element);
      },
    };
    return found;
  }, [heights]);
}

/**
 * Keeps what is visible in place while another tab adds and removes rows above it. In the tab that
 * edits, the edited caption comes into view instead.
 */
function useStillWhileFollowing(
  frame: { readonly current: HTMLDivElement | null },
  review: Review,
  tops: Float64Array,
): void {
  const seen = useRef<{ cues: readonly ReviewCue[]; rows: readonly (readonly [number, number])[] }>(
    { cues: [], rows: [] },
  );
  const isFollowing = review.role.value !== 'writing';
  useLayoutEffect(() => {
    const list = frame.current;
    // Where somebody types, reading the place of the list would lay out the page twice for every key.
    if (!list || !isFollowing) return undefined;
    const cues = review.cues.peek();
    const before = seen.current;
    if (before.cues !== cues) {
      const at = new Map(cues.map(({ id }, index) => [id, index]));
      const row = before.rows.find(([id]) => at.has(id));
      if (row) list.scrollTop = tops[at.get(row[0])!]! - row[1];
    }
    const look = () => {
      const top = list.scrollTop;
      const [from, to] = visibleRows(tops, top, list.clientHeight);
      const rows = cues
        .slice(from, to)
        .flatMap(({ id }, row): (readonly [number, number])[] =>
          tops[from + row]! < top ? [] : [[id, tops[from + row]! - top]],
        );
      seen.current = { cues, rows };
    };
    look();
    list.addEventListener('scroll', look);
    return () => list.removeEventListener('scroll', look);
  }, [tops, isFollowing]);
}

/**
 * Keeps rows in place while the pointer is down, so that a click ends on the row it began on. A
 * press may change heights, because it commits a typed time.
 */
function useStillWhilePressed(tops: Float64Array): Float64Array {
  const pressed = useSignal(false);
  const shown = useRef(tops);
  useEffect(() => {
    const down = (event: PointerEvent) => {
      pressed.value = event.target instanceof Element && event.target.closest('.cue') !== null;
    };
    // The click event comes after pointerup.
    const up = () => setTimeout(() => (pressed.value = false));
    addEventListener('pointerdown', down, true);
    addEventListener('pointerup', up, true);
    addEventListener('pointercancel', up, true);
    return () => {
      removeEventListener('pointerdown', down, true);
      removeEventListener('pointerup', up, true);
      removeEventListener('pointercancel', up, true);
    };
  }, []);
  if (!pressed.value || shown.current.length !== tops.length) shown.current = tops;
  return shown.current;
}

/** Makes the list follow playback, except while the user is typing in it. */
function useFollow(
  review: Review,
  playback: Playback,
  frame: { readonly current: HTMLElement | null },
): void {
  const heard = useComputed(() =>
    playback.playing.value ? cueAt(review.cues.value, playback.time.value)?.id : undefined,
  );
  useSignalEffect(() => {
    const id = heard.value;
    if (id === undefined || isTypedIn(frame.current)) return;
    review.currentId.value = id;
    review.reveal.value = { id, follows: true };
  });
}

/** The tops of the rows, in pixels, followed by the total height. */
function layout(count: number, heightOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    tops[index + 1] = tops[index]! + heightOf(index);
  }
  return tops;
}

/** The row at a height: the last one whose top is at or above it, at least the first. */
function rowAt(tops: Float64Array, y: number): number {
  const rows = tops.length - 1;
  return Math.max(
    0,
    lastAtOrBefore(rows, (index) => tops[index]!, y),
  );
}

/** The distance beyond the edges at which rows are rendered, in pixels. */
const MARGIN = 400;

/** The rows to render at a scroll position; the end is exclusive. */
function visibleRows(
  tops: Float64Array,
  scrolled: number,
  height: number,
  margin = MARGIN,
): [from: number, to: number] {
  if (tops.length < 2) return [0, 0];
  return [rowAt(tops, scrolled - margin), rowAt(tops, scrolled + height + margin) + 1];
}

/**
 * Scrolls a cue into view if needed and puts the cursor into its text; if its row is already
 * rendered, before the next keystroke.
 */
function useReveal(
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
    const [from, until] = rangeIn(place, field.value.length);
    field.setSelectionRange(from, until);
  });
}

/** Whether a field in the list is focused. */
function isTypedIn(frame: HTMLElement | null): boolean {
  const active = document.activeElement;
  const isField = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
  return isField && frame?.contains(active) === true;
}
