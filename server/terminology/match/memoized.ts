/** Memoizes work per object, for as long as the object is in use. */

/**
 * Computes a value once per key; a key must always give the same value.
 * @example
 * const size = memoized((list: string[]) => ({ count: list.length }));
 * const names = ['AuthKit'];
 * size(names) === size(names); // => true
 */
export function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { value: V }>();
  return (key) => {
    let entry = made.get(key);
    if (!entry) made.set(key, (entry = { value: make(key) }));
    return entry.value;
  };
}
