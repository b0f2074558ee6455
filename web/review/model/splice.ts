/**
 * The only way in which cues change: a range of them is replaced by others, which can be undone. Lists that follow the
 * captions only pass on changes.
 */
import { computed, type ReadonlySignal } from '@preact/signals';
import { sameCue, sameInAll, type ReviewCue } from './cue.ts';

/** Replaces cues at a position, from 0. It is plain JSON, so that it can be stored. */
export interface Splice {
  readonly at: number;
  readonly removed: readonly ReviewCue[];
  readonly inserted: readonly ReviewCue[];
}

/**
 * Applies a splice; the given cues are not modified.
 * @throws {RangeError} if the cues to be removed are not there
 */
export function applySplice(cues: readonly ReviewCue[], splice: Splice): readonly ReviewCue[] {
  const { at, removed, inserted } = splice;
  const fits =
    Number.isInteger(at) &&
    at >= 0 &&
    at + removed.length <= cues.length &&
    removed.every((cue, offset) => isSame(cue, cues[at + offset]));
  if (!fits) throw new RangeError(`The cues to be replaced do not stand at ${at}.`);
  return cues.slice(0, at).concat(inserted, cues.slice(at + removed.length));
}

/** Ignores speakers: journals stored before there were any do not name them. */
const isSame = (cue: ReviewCue, other: ReviewCue | undefined): boolean =>
  other !== undefined && cue.id === other.id && sameCue(cue, other);

/** The splice that replaces `count` cues from `at` on; null if nothing changes. */
export function replaceCues(
  cues: readonly ReviewCue[],
  at: number,
  count: number,
  inserted: readonly ReviewCue[],
): Splice | null {
  const removed = cues.slice(at, at + count);
  const isUnchanged =
    removed.length === inserted.length &&
    removed.every((cue, offset) => {
      const now = inserted[offset];
      return now !== undefined && cue.id === now.id && sameInAll(cue, now);
    });
  return isUnchanged ? null : { at, removed, inserted };
}

/** A computed list that stays the same object while its items are the same, so that nothing is drawn again. */
export function sameList<T>(compute: () => readonly T[]): ReadonlySignal<readonly T[]> {
  let last: readonly T[] = [];
  return computed(() => {
    const now = compute();
    if (now.length !== last.length || now.some((item, at) => item !== last[at])) last = now;
    return last;
  });
}

/**
 * A function from items to values that computes a value only where the item or the one after it has changed since the
 * last call. A keystroke changes one of thousands.
 */
export function mapChanged<Item extends object, Value>(
  compute: (item: Item, next: Item | undefined) => Value,
): (items: readonly Item[]) => Value[] {
  let before: readonly Item[] = [];
  let made: readonly Value[] = [];
  return (items) => {
    // Behind the first change, items may have moved.
    const moved = items.length - before.length;
    let same = 0;
    while (same < items.length && items[same] === before[same]) same += 1;
    const values = items.map((item, at): Value => {
      const was = at < same ? at : at - moved;
      const isKept = before[was] === item && before[was + 1] === items[at + 1];
      return isKept ? (made[was] as Value) : compute(item, items[at + 1]);
    });
    before = items;
    made = values;
    return values;
  };
}
