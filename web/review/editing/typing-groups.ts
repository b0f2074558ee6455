/** Decides which keystrokes are one undo step: those in one caption, without a pause, up to the next word. */

/** The time without typing after which a new step begins, in milliseconds. */
const PAUSE_MS = 1000;

/** Names the group of each keystroke. */
export class TypingGroups {
  #count = 0;
  #cue = -1;
  #at = 0;
  #words = 0;
  readonly #clock: () => number;

  /** @param clock the time in milliseconds */
  constructor(clock = (): number => performance.now()) {
    this.#clock = clock;
  }

  /** The group for the new text of a cue. */
  groupOf(cue: number, typed: string): string {
    const now = this.#clock();
    const words = typed.split(/\s+/).length;
    const isNewWord = words > this.#words;
    if (cue !== this.#cue || now - this.#at > PAUSE_MS || isNewWord) this.#count += 1;
    this.#cue = cue;
    this.#at = now;
    this.#words = words;
    return `typing ${this.#count}`;
  }

  /** Ends the group: further typing is a new step. */
  end(): void {
    this.#cue = -1;
  }
}
