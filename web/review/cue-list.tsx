/** The captions, one under the other; only those near the view are in the page. */
import { useComputed, useSignal, useSignalEffect, type Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useSize } from '../components/use-size.ts';
import { text } from './strings.ts';
import { cueAt } from './cue-at.ts';
import { CueRow, type CueRowProps } from './cue-row.tsx';
import type { Desk } from './desk.ts';
import type { Playback } from './playback.ts';
import type { Review } from './review.ts';
import { isTypedIn, useReveal } from './use-reveal.ts';
import { layout, visibleRows } from './virtual-window.ts';

/** About how high a row is before it was measured, in pixels: its head and edges, then each line. */
const ROW = 49;
const LINE = 24;

/** The list. */
export function CueList({ desk }: { desk: Desk }) {
  const { review, playback } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  const height = useSignal(800);
  const focused = useSignal<number | null>(null);
  const heights = useMemo(() => new Map<number, number>(), [review]);
  /** Counts the times that a row turned out to be of another height. */
  const measured = useSignal(0);
  const cues = review.cues.value;
  const fresh = useMemo(
    () =>
      layout(cues.length, (index) => {
        const cue = cues[index];
        return (cue && heights.get(cue.id)) ?? ROW + LINE * (cue?.lines.length ?? 1);
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
    // What was measured above the view must not move what is seen.
    if (element && before !== 0) element.scrollTop += before;
  });
  useReveal(frame, review, tops, scrolled);
  useFollow(review, playback, frame);

  const row = useRows();
  const [from, to] = visibleRows(tops, scrolled.value, height.value);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  const kept = focused.value === null ? -1 : cues.findIndex(({ id }) => id === focused.value);
  // The row that is typed in stays, wherever the list is scrolled to; in its order, for one that is
  // moved within the page loses the focus.
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
      <div role="list" class="cues" style={{ height: `${tops.at(-1) ?? 0}px` }}>
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
            top: tops[index] ?? 0,
            height: (tops[index + 1] ?? 0) - (tops[index] ?? 0),
            isCurrent: cue.id === review.currentId.value,
            onElement: resized.watch,
          });
        })}
      </div>
    </div>
  );
}

/** Makes rows; one that is as it was is not drawn again, however fast somebody types in another. */
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

/** Measures rows as they change; tells by how much those above the view have grown. */
function useRowHeights(
  frame: { current: HTMLDivElement | null },
  heights: Map<number, number>,
  measured: Signal<number>,
) {
  const state = useMemo(() => {
    const observer = new ResizeObserver((entries) => {
      const view = frame.current;
      let changed = false;
      for (const { target } of entries) {
        if (!(target instanceof HTMLElement) || !target.isConnected) continue;
        const id = Number(target.dataset['id']);
        const height = target.offsetHeight;
        // A list that is out of sight has no heights.
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
      stop: () => observer.disconnect(),
    };
    return found;
  }, [heights]);
  useEffect(() => state.stop, [state]);
  return state;
}

/**
 * Rows do not move under a pointer that is down: what it went down on is what it goes up on. A press
 * may change heights, as it takes a time that was typed.
 */
function useStillWhilePressed(tops: Float64Array): Float64Array {
  const pressed = useSignal(false);
  const shown = useRef(tops);
  useEffect(() => {
    const down = (event: PointerEvent) => {
      pressed.value = event.target instanceof Element && event.target.closest('.cue') !== null;
    };
    // The click comes after the pointer has gone up.
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

/** While it plays the list follows the sound; never away from where somebody types. */
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
