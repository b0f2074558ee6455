/** Words that wedge or crash whatever thread looks at them: a fault of ours that nobody has found yet. */

/** A thread that compares this text never comes back. */
export const WEDGE = 'wedgéword';

/** Makes the thread that loads this file never come back from {@link WEDGE}. */
export function poisonThread(): void {
  for (const name of ['normalize', 'toLowerCase'] as const) {
    const original = String.prototype[name];
    Reflect.set(String.prototype, name, function poisoned(this: string, ...args: []) {
      while (this.includes(WEDGE));
      return original.apply(this, args);
    });
  }
}
