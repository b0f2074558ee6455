/** Tells where one shot gives way to another, by the small grey pictures of frames one after the other. */

/** A change of this much of the whole range is none, however quiet everything around it is. */
const LEAST = 0.1;
/** A cut differs this many times more than the frames before it: not a pan, a flash of film grain or a dissolve. */
const TIMES = 3.5;
const BEFORE = 8;
/** Two cuts are at least this far apart, in seconds. */
const APART = 0.2;

/** Takes the frames of a video in order. */
export class ShotMeter {
  /** When a new shot began, in seconds. */
  readonly shots: number[] = [];
  #last: Float32Array | null = null;
  #differences: number[] = [];

  /** Takes a frame. @param pixels red, green, blue and alpha of each, as a canvas gives them; always as many */
  add(pixels: ArrayLike<number>, time: number): void {
    const grey = new Float32Array(pixels.length / 4);
    for (let at = 0; at < grey.length; at += 1) {
      const from = at * 4;
      const [red, green, blue] = [pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0];
      grey[at] = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    }
    const last = this.#last;
    this.#last = grey;
    if (!last) return;
    let sum = 0;
    for (let at = 0; at < grey.length; at += 1) sum += Math.abs((grey[at] ?? 0) - (last[at] ?? 0));
    const difference = sum / grey.length;
    const before = this.#differences;
    const usual = before.reduce((all, each) => all + each, 0) / Math.max(1, before.length);
    const isCut = difference >= LEAST && difference >= usual * TIMES;
    const isNear = time - (this.shots.at(-1) ?? Number.NEGATIVE_INFINITY) < APART;
    if (isCut && !isNear) this.shots.push(time);
    // The cut itself is not what is usual.
    if (!isCut) before.push(difference);
    if (before.length > BEFORE) before.shift();
  }
}
