/** Fingers on the time line: one moves it, two move it and show more or less of it. */

type Touch = Pick<PointerEvent, 'pointerId' | 'pointerType' | 'clientX'>;

/** What a move of a finger means. */
export interface Pinched {
  /** The point between the fingers. */
  readonly x: number;
  /** How far it has moved, in pixels. */
  readonly by: number;
  /** How much more time is to be shown; 1 for one finger. */
  readonly factor: number;
}

/** A finger that has not moved as far as this has tapped, in pixels. */
const TAP = 6;

/** Follows the fingers. */
export class Pinch {
  readonly #fingers = new Map<number, number>();
  #moved = 0;

  /** A pointer went down; true where it is the second finger, which drags nothing. */
  down({ pointerId, pointerType, clientX }: Touch): boolean {
    if (pointerType !== 'touch') return false;
    if (this.#fingers.size === 0) this.#moved = 0;
    this.#fingers.set(pointerId, clientX);
    return this.#fingers.size > 1;
  }

  /** A pointer has moved; null where it is no finger of these. */
  move({ pointerId, clientX }: Touch): Pinched | null {
    const before = this.#fingers.get(pointerId);
    if (before === undefined) return null;
    const [was, wasApart] = this.#measure();
    this.#fingers.set(pointerId, clientX);
    const [x, apart] = this.#measure();
    this.#moved += Math.abs(clientX - before);
    const factor = wasApart > 0 && apart > 0 ? wasApart / apart : 1;
    return { x, by: x - was, factor };
  }

  /** A pointer went up; true where it was a tap. */
  up({ pointerId }: Touch): boolean {
    this.#fingers.delete(pointerId);
    return this.#moved < TAP;
  }

  /** The middle of the fingers, and how far they are apart. */
  #measure(): [x: number, apart: number] {
    const all = [...this.#fingers.values()];
    const x = all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
    return [x, all.length > 1 ? Math.max(...all) - Math.min(...all) : 0];
  }
}
