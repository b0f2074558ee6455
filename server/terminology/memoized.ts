/** Work that is done once for each object, as long as somebody holds it. */

/** Makes a value once for a key; the same key must always give the same value. */
export function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { value: V }>();
  return (key) => {
    let entry = made.get(key);
    if (!entry) made.set(key, (entry = { value: make(key) }));
    return entry.value;
  };
}
