/** Groups key presses into undo steps: a word, or text typed without a pause. */

const PAUSE_MS = 1000;

/** Names the group of each key. */
export class TypingGroups {
  #count = 0;
  #cue = -1;
  #at = 0;
  #words = 0;
  readonly #clock: () => number;

  /** @param clock milliseconds */
  constructor(clock = (): number => performance.now()) {
    this.#clock = clock;
  }

  /** The group of a text that a cue has just been given. */
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

  /** Ends the group: what is typed next is a step of its own. */
  end(): void {
    this.#cue = -1;
  }
}
