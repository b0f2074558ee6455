/** Drags a caption or one of its edges on the timeline, as one undo step. */
import type { Hit } from './blocks.ts';
import type { Desk } from '../desk/desk.ts';
import { moveLimitText } from '../desk/move-limit-text.ts';
import { moveCue, setEdge } from '../model/edits.ts';
import { snapMove, snapTime, type Magnets } from '../model/snap.ts';
import { replaceCues } from '../model/splice.ts';
import { settings } from '../desk/settings.ts';

let drags = 0;
/** The distance below which a drag is a click, in pixels. */
const CLICK = 3;
/** The snapping distance, in pixels. */
const SNAP = 8;

export interface Drag {
  hit: Hit;
  /** The time under the pointer, in seconds. */
  timeAt(clientX: number): number;
  secondsAPixel(): number;
  /** Reports what stops the drag; empty if nothing does. */
  onLimit(reason: string): void;
  /** Called if the pointer did not move. */
  onClick(): void;
}

/**
 * Follows the pointer until it is released. Returns a function that ends the drag early and leaves
 * the captions as they are.
 */
export function dragCue(
  event: PointerEvent,
  { review, magnets }: Pick<Desk, 'review' | 'magnets'>,
  { hit, timeAt, secondsAPixel, onLimit, onClick }: Drag,
): () => void {
  const { currentTarget } = event;
  const before = review.cues.peek();
  const { index, part } = hit;
  const cue = before[index];
  if (!cue || !(currentTarget instanceof HTMLElement)) return () => {};
  const group = `drag ${(drags += 1)}`;
  const begun = timeAt(event.clientX);
  const mode = settings.mode.peek();
  let moved = false;
  review.currentId.value = cue.id;
  currentTarget.setPointerCapture(event.pointerId);
  const stop = new AbortController();
  // Where both edges of a cut move, or everything after it, there is no neighbour to snap to.
  const isAlone = mode === 'push' || mode === 'free';
  const neighbours =
    isAlone && settings.snapNeighbours.peek()
      ? { before: before[index - 1], after: before[index + 1] }
      : undefined;
  const pulls = (isFree: boolean): Magnets => (isFree ? {} : { ...magnets(), neighbours });
  const reach = (): number => SNAP * secondsAPixel();
  const move = ({ clientX, pointerId, altKey }: PointerEvent) => {
    if (pointerId !== event.pointerId) return;
    moved ||= Math.abs(clientX - event.clientX) >= CLICK;
    if (!moved) return;
    const by = timeAt(clientX) - begun;
    // Alt turns snapping off.
    const to = pulls(altKey);
    const made =
      part === 'whole'
        ? moveCue(mode, before, index, snapMove(cue, by, to, reach()), review.settings)
        : setEdge(
            mode,
            before,
            index,
            part,
            snapTime(cue[part] + by, part, to, reach()),
            review.settings,
          );
    if (!made) return;
    // Start from the captions before the drag, so that a neighbour that was pushed comes back with
    // the edge.
    const cues = review.cues.peek();
    const isOther = cues.length !== before.length || cues[index]?.id !== cue.id;
    const splice = isOther ? null : replaceCues(cues, made.at, made.cues.length, made.cues);
    if (splice) review.edit('times', splice, { group, cueId: cue.id });
    const reason = made.limitedBy ? moveLimitText(made.limitedBy, index) : '';
    if (reason !== '') review.message.value = reason;
    onLimit(reason);
  };
  const end = () => {
    stop.abort();
    onLimit('');
    if (!moved) onClick();
  };
  const cancel = () => {
    stop.abort();
    onLimit('');
  };
  const { signal } = stop;
  currentTarget.addEventListener('pointermove', move, { signal });
  currentTarget.addEventListener('pointerup', end, { signal });
  currentTarget.addEventListener('pointercancel', cancel, { signal });
  return cancel;
}
