/** Pointers on the timeline: drags a caption or one of its edges as one undo step, and pans and zooms with fingers. */
import type { Desk } from '../desk/desk.ts';
import { settings } from '../editing/settings.ts';
import { moveLimitText } from '../desk/commands.ts';
import { moveCue, setEdge } from '../model/edit-times.ts';
import { type Magnets, snapMove, snapTime } from '../model/snap.ts';
import { replaceCues } from '../model/splice.ts';
import type { Hit } from '../play/draw-time-line.ts';

let drags = 0;
/** The distance below which a drag is a click, in pixels. */
const CLICK = 3;
/** The snapping distance, in pixels. */
const SNAP = 8;

interface Drag {
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
  { review, magnets, clock }: Pick<Desk, 'review' | 'magnets' | 'clock'>,
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
    review.currentId.value = cue.id;
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
    const reason = made.limitedBy ? moveLimitText(made.limitedBy, index, clock.peek()) : '';
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

type Touch = Pick<PointerEvent, 'pointerId' | 'pointerType' | 'clientX'>;

/** The effect of a finger movement. */
interface Pinched {
  /** The midpoint between the fingers. */
  readonly x: number;
  /** The movement of the midpoint, in pixels. */
  readonly by: number;
  /** The zoom factor, above 1 to show more time; 1 for one finger. */
  readonly factor: number;
}

/** A finger that moved less than this has tapped, in pixels. */
const TAP = 6;

/** Tracks the fingers. */
export class Pinch {
  readonly #fingers = new Map<number, number>();
  #moved = 0;
  /** Whether the only finger drags a caption. */
  #drags = false;

  /**
   * Handles a pointer that goes down; true if it is a second finger, which must not start a drag and ends one.
   */
  down({ pointerId, pointerType, clientX }: Touch): boolean {
    if (pointerType !== 'touch') return false;
    if (this.#fingers.size === 0) this.#moved = 0;
    this.#drags = false;
    this.#fingers.set(pointerId, clientX);
    return this.#fingers.size > 1;
  }

  /** The only finger drags a caption: it neither pans nor taps, unless another joins it. */
  drag(): void {
    this.#drags = this.#fingers.size === 1;
  }

  /** Handles a moving pointer; null if it is not a tracked finger. */
  move({ pointerId, clientX }: Touch): Pinched | null {
    const before = this.#fingers.get(pointerId);
    if (before === undefined) return null;
    const [was, wasApart] = this.#measure();
    this.#fingers.set(pointerId, clientX);
    const [x, apart] = this.#measure();
    this.#moved += Math.abs(clientX - before);
    if (this.#drags) return null;
    const factor = wasApart > 0 && apart > 0 ? wasApart / apart : 1;
    return { x, by: x - was, factor };
  }

  /** Handles a pointer that goes up; true if a finger has tapped. */
  up({ pointerId }: Touch): boolean {
    return this.#fingers.delete(pointerId) && !this.#drags && this.#moved < TAP;
  }

  /** The midpoint of the fingers, and the distance between them. */
  #measure(): [x: number, apart: number] {
    const all = [...this.#fingers.values()];
    const x = all.reduce((sum, each) => sum + each, 0) / all.length;
    return [x, Math.max(...all) - Math.min(...all)];
  }
}
