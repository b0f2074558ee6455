/** Words that hang or crash the thread that processes them, in place of an unknown bug. */
import { writeSync } from 'node:fs';

/** A thread that compares this text hangs forever. */
export const WEDGE = 'wedgéword';

/** The log line of such a thread before it hangs. */
export const WEDGED = 'this thread is wedged';

/** Makes the thread that loads this file hang on {@link WEDGE}. */
export function poisonThread(): void {
  for (const name of ['normalize', 'toLowerCase'] as const) {
    const original = String.prototype[name];
    Reflect.set(String.prototype, name, function poisoned(this: string, ...args: []) {
      if (this.includes(WEDGE)) {
        writeSync(2, `${WEDGED}\n`);
        for (;;);
      }
      return original.apply(this, args);
    });
  }
}
