/** Lists that follow the captions and only pass on changes. */
import { computed, type ReadonlySignal } from '@preact/signals';

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
