/** Touch gestures on the timeline: one finger pans, two fingers pan and zoom. */

type Touch = Pick<PointerEvent, 'pointerId' | 'pointerType' | 'clientX'>;

/** The effect of a finger movement. */
export interface Pinched {
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
